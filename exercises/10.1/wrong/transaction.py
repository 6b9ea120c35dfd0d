# refused: only the last reply was lost, and redis-py tried again: exercise:{shop}:tea is 6 and should be 3
def record(r, batch, sales):
    if r.exists(batch):
        return
    pipe = r.pipeline()
    for product, number in sales.items():
        pipe.incrby(f"exercise:{{shop}}:{product}", number)
    pipe.set(batch, 1, ex=86400)
    pipe.execute()


lab.check("10.1", record)
