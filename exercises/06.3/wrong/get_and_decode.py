# refused: the budget is 60
def read_stock(r, product):
    r.set("exercise:product", json.dumps(product))
    return json.loads(r.get("exercise:product"))["stock"]


lab.check("06.3", read_stock)
