# refused: broke after 2 of 5 commands and redis-py tried again: exercise:{shop}:tea is 6 and should be 3
def record(r, batch, sales):
    if r.exists(batch):
        return
    pipe = r.pipeline(transaction=False)
    for product, number in sales.items():
        pipe.incrby(f"exercise:{{shop}}:{product}", number)
    pipe.set(batch, 1)
    pipe.execute()


lab.check("10.1", record)
