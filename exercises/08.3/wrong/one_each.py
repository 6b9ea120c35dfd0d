# refused: your pool holds up to 12 connections
def pool_for(kind, options):
    return redis.BlockingConnectionPool(
        max_connections=12, timeout=1, connection_class=kind, **options
    )


lab.check("08.3", pool_for)
