# refused: 3 round trips; the budget is 2
def cart(r, user):
    amounts = r.hgetall(f"exercise:cart:{user}")
    pipe = r.pipeline(transaction=False)
    for product in amounts:
        pipe.hmget(f"exercise:product:{product}", "name", "price")
    products = pipe.execute()
    for product in amounts:
        pipe.get(f"exercise:stock:{product}")
    stocks = pipe.execute()
    lines = []
    for amount, (name, price), stock in zip(amounts.values(), products, stocks):
        note = f" (only {stock or 0} left)" if int(stock or 0) < int(amount) else ""
        lines.append(f"{amount} {name}: {int(amount) * int(price)}{note}")
    return lines


lab.check("12.1", cart)
