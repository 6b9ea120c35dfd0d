# refused: nothing was written through the client that was passed in
import socket

STORE = (
    "if tonumber(ARGV[2]) < tonumber(redis.call('HGET', KEYS[1], 'token') or 0) then return 0 end "
    "redis.call('HSET', KEYS[1], 'value', ARGV[1], 'token', ARGV[2]) return 1"
)


def write(r, key, value, token):
    where = r.get_connection_kwargs()
    with socket.create_connection((where["host"], where["port"])) as own:
        for command in (
            f"AUTH {where.get('password')}",
            f"SELECT {where.get('db', 0)}",
            f'EVAL "{STORE}" 1 "{key}" {value} {token}',
        ):
            own.sendall(f"{command}\r\n".encode())
            said = own.recv(100)
        return said == b":1\r\n"


lab.check("11.3", write)
