# refused: your code raised TypeError
def load(r, values):
    data = b"".join([hiredis.pack_command(("SET", key, value)) for key, value in values.items()])
    connection = r.connection_pool.get_connection()
    connection.send_packed_command(data)
    replies = [connection.read_response() for _ in values]
    r.connection_pool.release(connection)
    return replies


lab.check("09.1", load)
