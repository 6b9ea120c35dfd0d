# refused: the connection was given back after 0 of
def load(r, values):
    data = b"".join([hiredis.pack_command(("SET", key, value)) for key, value in values.items()])
    connection = r.connection_pool.get_connection()
    connection.send_packed_command([data])
    r.connection_pool.release(connection)
    return [connection.read_response() for _ in values]


lab.check("09.1", load)
