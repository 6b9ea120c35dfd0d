# refused: there are replies left that nobody read
def load(r, values):
    lines = [f"SET {key} {value}\r\n" for key, value in values.items()]
    connection = r.connection_pool.get_connection()
    connection.send_packed_command(["".join(lines).encode()])
    replies = []
    for _ in values:
        try:
            replies.append(connection.read_response())
        except redis.ResponseError as error:
            replies.append(error)
    r.connection_pool.release(connection)
    return replies


lab.check("09.1", load)
