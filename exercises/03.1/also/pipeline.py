def read_all(r, keys):
    pipe = r.pipeline(transaction=False)
    for key in keys:
        pipe.get(key)
    return pipe.execute()


lab.check("03.1", read_all)
