# refused: a reader who looks just after HSET
def read_stock(r, product):
    for field, value in product.items():
        r.hset("exercise:product", field, value)
    r.hdel("exercise:product", "discount")
    return int(r.hget("exercise:product", "stock"))


lab.check("06.3", read_stock)
