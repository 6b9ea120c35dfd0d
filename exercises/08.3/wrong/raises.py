# refused: some were not served: MaxConnectionsError
def pool_for(kind, options):
    return redis.ConnectionPool(max_connections=4, connection_class=kind, **options)


lab.check("08.3", pool_for)
