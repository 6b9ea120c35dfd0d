def read_stock(r, product):
    r.mset({"exercise:product": json.dumps(product), "exercise:product:stock": product["stock"]})
    return int(r.get("exercise:product:stock"))


lab.check("06.3", read_stock)
