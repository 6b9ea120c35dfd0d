def read_stock(r, product):
    r.delete("exercise:product:new")
    r.hset("exercise:product:new", mapping=product)
    r.rename("exercise:product:new", "exercise:product")
    return int(r.hget("exercise:product", "stock"))


lab.check("06.3", read_stock)
