# refused: redis-py returns the members of a set as bytes
def save(r, customer, number, text):
    pipe = r.pipeline(transaction=False)
    pipe.set(f"exercise:order:{number}", text)
    pipe.sadd(f"exercise:numbers:{customer}", number)
    pipe.execute()


def find(r, customer):
    numbers = r.smembers(f"exercise:numbers:{customer}")
    return r.mget([f"exercise:order:{number}" for number in numbers]) if numbers else []


lab.check("05.1", (save, find))
