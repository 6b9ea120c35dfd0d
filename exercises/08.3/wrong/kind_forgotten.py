# refused: not of `kind`
def pool_for(kind, options):
    return redis.BlockingConnectionPool(max_connections=4, timeout=1, **options)


lab.check("08.3", pool_for)
