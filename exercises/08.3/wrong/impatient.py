# refused: some were not served: ConnectionError: No connection available
def pool_for(kind, options):
    return redis.BlockingConnectionPool(
        max_connections=4, timeout=0.02, connection_class=kind, **options
    )


lab.check("08.3", pool_for)
