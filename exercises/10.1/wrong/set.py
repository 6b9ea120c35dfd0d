# refused: a second batch of another name, with more products: exercise:{shop}:tea is 3 and should be 6
def record(r, batch, sales):
    r.mset({f"exercise:{{shop}}:{product}": number for product, number in sales.items()})


lab.check("10.1", record)
