# refused: exercise:{shop}:tea is 0 and should be 3
def record(r, batch, sales):
    if r.set(batch, 1, nx=True, ex=86400):
        pipe = r.pipeline()
        for product, number in sales.items():
            pipe.incrby(f"exercise:{{shop}}:{product}", number)
        pipe.execute()


lab.check("10.1", record)
