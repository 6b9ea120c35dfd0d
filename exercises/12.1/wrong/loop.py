# refused: 91 round trips; the budget is 2
def cart(r, user):
    lines = []
    for product, amount in r.hgetall(f"exercise:cart:{user}").items():
        name = r.hget(f"exercise:product:{product}", "name")
        price = int(r.hget(f"exercise:product:{product}", "price"))
        left = int(r.get(f"exercise:stock:{product}") or 0)
        note = f" (only {left} left)" if left < int(amount) else ""
        lines.append(f"{amount} {name}: {int(amount) * price}{note}")
    return lines


lab.check("12.1", cart)
