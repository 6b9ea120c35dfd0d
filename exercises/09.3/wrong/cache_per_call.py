# refused: round trips for 120 prices that it had read before
def price_reader(r):
    def price(product):
        cached = like(r, protocol=3, cache_config=CacheConfig())
        return cached.get(f"exercise:price:{product}")

    return price


lab.check("09.3", price_reader)
