# refused: the function returned b'0' and b'12' for products with a stock of 0 and 12, two numbers
def read_stock(r, product):
    r.hset("exercise:product", mapping=product)
    return r.hget("exercise:product", "stock")


lab.check("06.3", read_stock)
