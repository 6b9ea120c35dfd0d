def load(r, values):
    connection = r.connection_pool.get_connection()
    try:
        pieces = connection.pack_commands([("SET", key, value) for key, value in values.items()])
        connection.send_packed_command([b"".join(pieces)])
        replies = [connection.read_response() for _ in values]
    except redis.RedisError:
        connection.disconnect()
        raise
    finally:
        r.connection_pool.release(connection)
    return replies


lab.check("09.1", load)
