# refused: your code raised DataError
def load(r, ids):
    pipe = r.pipeline(transaction=False)
    for i in ids:
        pipe.hmget(f"exercise:user:{i}", "name", "cart")
    users = pipe.execute()
    for _, cart in users:
        pipe.lrange(cart, 0, -1)
    return [(name, items) for (name, _), items in zip(users, pipe.execute())]


lab.check("03.3", load)
