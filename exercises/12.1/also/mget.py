def cart(r, user):
    amounts = r.hgetall(f"exercise:cart:{user}")
    if not amounts:
        return []
    pipe = r.pipeline()
    for product in amounts:
        pipe.hgetall(f"exercise:product:{product}")
    pipe.mget([f"exercise:stock:{product}" for product in amounts])
    *products, stocks = pipe.execute()
    lines = []
    for amount, product, stock in zip(amounts.values(), products, stocks):
        line = f"{amount} {product['name']}: {int(amount) * int(product['price'])}"
        if int(stock or 0) < int(amount):
            line += f" (only {stock or 0} left)"
        lines.append(line)
    return lines


lab.check("12.1", cart)
