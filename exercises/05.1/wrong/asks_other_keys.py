# refused: returned None 25 times: the names that it asks for are not those that save writes
def save(r, customer, number, text):
    pipe = r.pipeline(transaction=False)
    pipe.set(f"exercise:order:{number}", text)
    pipe.sadd(f"exercise:numbers:{customer}", number)
    pipe.execute()


def find(r, customer):
    numbers = r.smembers(f"exercise:numbers:{customer}")
    return r.mget([f"exercise:order:{customer}:{int(n)}" for n in numbers]) if numbers else []


lab.check("05.1", (save, find))
