# refused: your code raised ValueError
def load(r, ids):
    pipe = r.pipeline(transaction=False)
    page = []
    for i in ids:
        name, cart = pipe.hmget(f"exercise:user:{i}", "name", "cart")
        page.append((name, pipe.lrange(cart, 0, -1) if cart else []))
    pipe.execute()
    return page


lab.check("03.3", load)
