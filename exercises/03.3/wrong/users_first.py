# refused: 39 round trips; the budget is 2
def load(r, ids):
    pipe = r.pipeline(transaction=False)
    for i in ids:
        pipe.hmget(f"exercise:user:{i}", "name", "cart")
    return [(name, r.lrange(cart, 0, -1) if cart else []) for name, cart in pipe.execute()]


lab.check("03.3", load)
