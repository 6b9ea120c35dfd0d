# refused: the same batch, called a second time: exercise:{shop}:tea is 6 and should be 3
def record(r, batch, sales):
    pipe = r.pipeline()
    for product, number in sales.items():
        pipe.incrby(f"exercise:{{shop}}:{product}", number)
    pipe.execute()


lab.check("10.1", record)
