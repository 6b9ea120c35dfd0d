# refused: a thread still waited for one after 1.3 s
def pool_for(kind, options):
    return redis.BlockingConnectionPool(max_connections=4, connection_class=kind, **options)

lab.check("08.3", pool_for)
