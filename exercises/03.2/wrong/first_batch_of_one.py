# refused: every value is there and expires, but 11 round trips
def write_all(r, values):
    pipe = r.pipeline(transaction=False)
    for i, (key, value) in enumerate(values.items()):
        pipe.set(key, value, ex=3_600)
        if i % 1_000 == 0:
            pipe.execute()
    pipe.execute()


lab.check("03.2", write_all)
