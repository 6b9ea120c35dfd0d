def without_hiredis(r):
    options = r.get_connection_kwargs() | {"parser_class": _RESP3Parser}
    options["command_packer"] = PythonRespSerializer(6_000, r.get_encoder().encode)
    pool = redis.ConnectionPool(r.connection_pool.connection_class, **options)
    return redis.Redis(connection_pool=pool)


lab.check("09.2", without_hiredis)
