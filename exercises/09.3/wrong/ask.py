# refused: right prices, but 3 round trips for 3 that it had read before
def price_reader(r):
    return lambda product: r.get(f"exercise:price:{product}")


lab.check("09.3", price_reader)
