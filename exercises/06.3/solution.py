def read_stock(r, product):
    pipe = r.pipeline(transaction=True)  # nobody sees the product half written
    pipe.delete("exercise:product")  # HSET would leave the fields that this product lacks
    pipe.hset("exercise:product", mapping=product)
    pipe.execute()  # sent again after a lost reply, it undoes a sale made in between
    return int(r.hget("exercise:product", "stock"))


lab.check("06.3", read_stock)
