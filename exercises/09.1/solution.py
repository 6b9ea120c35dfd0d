def load(r, values):
    data = b"".join([hiredis.pack_command(("SET", key, value)) for key, value in values.items()])
    connection = r.connection_pool.get_connection()
    try:
        connection.send_packed_command([data])
        return [reply_of(connection) for _ in values]
    except BaseException:
        connection.disconnect()  # what is still to come is nobody's
        raise
    finally:
        r.connection_pool.release(connection)


def reply_of(connection):
    try:
        return connection.read_response()
    except redis.ResponseError as error:  # a reply as any other: more are to come behind it
        return error


lab.check("09.1", load)
