# refused: load: place
def load(r, ids):
    pipe = r.pipeline(transaction=False)
    for i in ids:
        pipe.hget(f"exercise:user:{i}", "name")
        pipe.lrange(f"exercise:cart:{i}", 0, -1)
    replies = pipe.execute()
    return list(zip(replies[::2], replies[1::2]))


lab.check("03.3", load)
