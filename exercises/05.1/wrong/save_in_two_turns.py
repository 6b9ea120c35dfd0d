# refused: each order is saved, but 2 round trips; the budget is 1
def save(r, customer, number, text):
    r.set(f"exercise:order:{number}", text)
    r.sadd(f"exercise:orders-of:{customer}", number)


def find(r, customer):
    numbers = r.smembers(f"exercise:orders-of:{customer}")
    return r.mget([f"exercise:order:{int(number)}" for number in numbers]) if numbers else []


lab.check("05.1", (save, find))
