def price_reader(r):
    options = r.get_connection_kwargs() | {"protocol": 3, "cache_config": CacheConfig()}
    pool = redis.ConnectionPool(r.connection_pool.connection_class, **options)
    cached = redis.Redis(connection_pool=pool)

    def price(product):
        return cached.get(f"exercise:price:{product}")

    return price


lab.check("09.3", price_reader)
