# refused: load: place
def load(r, ids):
    pipe = r.pipeline(transaction=False)
    for i in ids:
        pipe.hmget(f"exercise:user:{i}", "name", "cart")
    users = pipe.execute()
    for _, cart in users:
        if cart:
            pipe.lrange(cart, 0, -1)
    carts = pipe.execute() + [[], []]
    return [(name, cart) for (name, _), cart in zip(users, carts)]


lab.check("03.3", load)
