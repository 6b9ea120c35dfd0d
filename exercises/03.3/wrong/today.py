# refused: 78 round trips; the budget is 2
def load(r, ids):
    page = []
    for i in ids:
        name, cart = r.hmget(f"exercise:user:{i}", "name", "cart")
        page.append((name, r.lrange(cart, 0, -1) if cart else []))
    return page


lab.check("03.3", load)
