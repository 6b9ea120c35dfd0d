# refused: your pool holds up to 2 connections
def pool_for(kind, options):
    return redis.BlockingConnectionPool(
        max_connections=2, timeout=1, connection_class=kind, **options
    )


lab.check("08.3", pool_for)
