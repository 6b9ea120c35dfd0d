def price_reader(r):
    cached = like(r, protocol=3, cache_config=CacheConfig())
    return lambda product: cached.get(f"exercise:price:{product}")

lab.check("09.3", price_reader)
