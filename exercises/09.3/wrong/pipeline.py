# refused: right prices, but 120 round trips for 120 prices that it had read before
def price_reader(r):
    cached = like(r, protocol=3, cache_config=CacheConfig())

    def price(product):
        pipe = cached.pipeline(transaction=False)
        pipe.get(f"exercise:price:{product}")
        return pipe.execute()[0]

    return price


lab.check("09.3", price_reader)
