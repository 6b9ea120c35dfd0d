# refused: where the server refuses one SET, the next one to use the client asks for ECHO and reads b'OK'
def load(r, values):
    data = b"".join([hiredis.pack_command(("SET", key, value)) for key, value in values.items()])
    connection = r.connection_pool.get_connection()
    try:
        connection.send_packed_command([data])
        return [connection.read_response() for _ in values]
    finally:
        r.connection_pool.release(connection)


lab.check("09.1", load)
