# refused: load: place 19 holds (b'user 20', None) and should hold (b'user 20', [])
def load(r, ids):
    pipe = r.pipeline(transaction=False)
    for i in ids:
        pipe.hmget(f"exercise:user:{i}", "name", "cart")
    users = pipe.execute()
    for _, cart in users:
        if cart:
            pipe.lrange(cart, 0, -1)
    carts = iter(pipe.execute())
    return [(name, next(carts) if cart else None) for name, cart in users]


lab.check("03.3", load)
