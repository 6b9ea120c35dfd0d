def save(r, customer, number, text):
    pipe = r.pipeline()
    pipe.set(f"exercise:order:{number}", text)
    pipe.sadd(f"exercise:orders-of:{customer}", number)
    pipe.execute()


def find(r, customer):
    numbers = r.smembers(f"exercise:orders-of:{customer}")
    return r.mget([f"exercise:order:{int(number)}" for number in numbers]) if numbers else []


lab.check("05.1", (save, find))
