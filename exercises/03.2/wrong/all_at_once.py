# refused: 9,500 values in one batch; the limit is 1,000
def write_all(r, values):
    pipe = r.pipeline(transaction=False)
    for key, value in values.items():
        pipe.set(key, value, ex=3_600)
    pipe.execute()


lab.check("03.2", write_all)
