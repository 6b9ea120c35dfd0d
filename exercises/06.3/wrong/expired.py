# refused: a reader who looks just after EXPIRE
def read_stock(r, product):
    r.expire("exercise:product", 0)
    r.hset("exercise:product", mapping=product)
    return int(r.hget("exercise:product", "stock"))


lab.check("06.3", read_stock)
