# refused: the right value, but nothing was read back from Redis
def read_stock(r, product):
    r.hset("exercise:product", mapping=product)
    r.ping()
    return product["stock"]


lab.check("06.3", read_stock)
