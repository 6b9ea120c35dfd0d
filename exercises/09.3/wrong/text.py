# refused: at first the price of tea is '3' and should be b'3'
def price_reader(r):
    cached = like(r, protocol=3, cache_config=CacheConfig(), decode_responses=True)
    return lambda product: cached.get(f"exercise:price:{product}")


lab.check("09.3", price_reader)
