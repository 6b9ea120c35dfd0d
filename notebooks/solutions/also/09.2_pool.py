def without_hiredis(r):
    options = r.get_connection_kwargs() | {"parser_class": _RESP3Parser}
    options["command_packer"] = PythonRespSerializer(6_000, r.get_encoder().encode)
    return redis.Redis(connection_pool=redis.ConnectionPool(r.connection_pool.connection_class, **options))

lab.check("09.2", without_hiredis)
