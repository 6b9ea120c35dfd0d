# refused: every value is there and expires, but 20 round trips
def write_all(r, values):
    keys = list(values)
    for start in range(0, len(keys), 1_000):
        batch = keys[start : start + 1_000]
        r.mset({key: values[key] for key in batch})
        pipe = r.pipeline(transaction=False)
        for key in batch:
            pipe.expire(key, 3_600)
        pipe.execute()


lab.check("03.2", write_all)
