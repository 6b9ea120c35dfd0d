def cart(r, user):
    amounts = r.hgetall(f"exercise:cart:{user}")
    pipe = r.pipeline(transaction=False)
    for product in amounts:
        pipe.hmget(f"exercise:product:{product}", "name", "price")
        pipe.get(f"exercise:stock:{product}")
    replies = iter(pipe.execute())
    lines = []
    for amount in map(int, amounts.values()):
        name, price = next(replies)
        left = int(next(replies) or 0)
        note = f" (only {left} left)" if left < amount else ""
        lines.append(f"{amount} {name}: {amount * int(price)}{note}")
    return lines


lab.check("12.1", cart)
