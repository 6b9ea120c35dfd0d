# refused: a reader who looks just after DEL
def read_stock(r, product):
    r.delete("exercise:product")
    r.hset("exercise:product", mapping=product)
    return int(r.hget("exercise:product", "stock"))


lab.check("06.3", read_stock)
