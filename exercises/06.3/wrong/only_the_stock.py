# refused: not every field is stored: sku
def read_stock(r, product):
    r.set("exercise:product", product["stock"])
    return int(r.get("exercise:product"))


lab.check("06.3", read_stock)
