# refused: Return the int 12
def read_stock(r, product):
    r.hset("exercise:product", mapping=product)
    return r.hget("exercise:product", "stock")


lab.check("06.3", read_stock)
