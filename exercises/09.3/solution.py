import time


def price_reader(r):
    cached = like(r, protocol=3, cache_config=CacheConfig())
    fresh_until = time.monotonic() + 60

    def price(product):
        nonlocal fresh_until
        if time.monotonic() > fresh_until:  # a connection may die unnoticed, and its news with it
            cached.get_cache().flush()
            fresh_until = time.monotonic() + 60
        return cached.get(f"exercise:price:{product}")

    return price


lab.check("09.3", price_reader)
