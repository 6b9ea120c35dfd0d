# refused: user 7 has 150 items, and you returned 100 of them
def load(r, ids):
    pipe = r.pipeline(transaction=False)
    for i in ids:
        pipe.hmget(f"exercise:user:{i}", "name", "cart")
    users = pipe.execute()
    for _, cart in users:
        if cart:
            pipe.lrange(cart, 0, 99)
    carts = iter(pipe.execute())
    return [(name, next(carts) if cart else []) for name, cart in users]


lab.check("03.3", load)
