# refused: a reader who looks just after DEL
def read_stock(r, product):
    pipe = r.pipeline(transaction=False)
    pipe.delete("exercise:product")
    pipe.hset("exercise:product", mapping=product)
    pipe.execute()
    return int(r.hget("exercise:product", "stock"))


lab.check("06.3", read_stock)
