def load(r, ids):
    pipe = r.pipeline()
    for i in ids:
        pipe.hmget(f"exercise:user:{i}", ["name", "cart"])
    users = pipe.execute()
    carts = [cart for _, cart in users if cart]
    for cart in carts:
        pipe.lrange(cart, 0, -1)
    items = dict(zip(carts, pipe.execute()))
    return [[name, items.get(cart, [])] for name, cart in users]


lab.check("03.3", load)
