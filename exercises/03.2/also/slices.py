def write_all(r, values):
    items = list(values.items())
    for start in range(0, len(items), 1_000):
        part = items[start : start + 1_000]
        pipe = r.pipeline()
        pipe.mset(dict(part))
        for key, _ in part:
            pipe.expire(key, 3_600)
        pipe.execute()


lab.check("03.2", write_all)
