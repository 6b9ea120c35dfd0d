# refused: your code raised ResponseError
def refused(r, keys, member):
    pipe = r.pipeline(transaction=False)
    for key in keys:
        pipe.sadd(key, member)
    return [key for key, reply in zip(keys, pipe.execute()) if isinstance(reply, Exception)]


lab.check("04.3", refused)
