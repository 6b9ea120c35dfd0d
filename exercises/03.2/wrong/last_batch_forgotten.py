# refused: 500 values missing of 9,500
def write_all(r, values):
    pipe = r.pipeline(transaction=False)
    for key, value in values.items():
        pipe.set(key, value, ex=3_600)
        if len(pipe) == 1_000:
            pipe.execute()


lab.check("03.2", write_all)
