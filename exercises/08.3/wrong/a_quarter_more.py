# refused: a thread waits for one for 1.25 s; 1 s is the most
def pool_for(kind, options):
    return redis.BlockingConnectionPool(
        max_connections=4, timeout=1.25, connection_class=kind, **options
    )


lab.check("08.3", pool_for)
