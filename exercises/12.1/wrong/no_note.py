# refused: line 1 is
def cart(r, user):
    amounts = r.hgetall(f"exercise:cart:{user}")
    pipe = r.pipeline(transaction=False)
    for product in amounts:
        pipe.hmget(f"exercise:product:{product}", "name", "price")
    return [f"{amount} {name}: {int(amount) * int(price)}"
            for amount, (name, price) in zip(amounts.values(), pipe.execute())]

lab.check("12.1", cart)
