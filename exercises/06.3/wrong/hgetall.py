# refused: the budget is 60
def read_stock(r, product):
    r.hset("exercise:product", mapping=product)
    return int(r.hgetall("exercise:product")[b"stock"])


lab.check("06.3", read_stock)
