# refused: right prices, but 120 round trips for 120 prices that it had read before
def price_reader(r):
    return lambda product: r.get(f"exercise:price:{product}")


lab.check("09.3", price_reader)
