# refused: had a `discount`, and it is there still
def read_stock(r, product):
    r.hset("exercise:product", mapping=product)
    return int(r.hget("exercise:product", "stock"))


lab.check("06.3", read_stock)
