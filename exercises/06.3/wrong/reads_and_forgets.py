# refused: which it did not read from there
def read_stock(r, product):
    r.delete("exercise:product")
    r.hset("exercise:product", mapping=product)
    r.hget("exercise:product", "stock")
    return product["stock"]


lab.check("06.3", read_stock)
