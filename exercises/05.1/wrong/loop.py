# refused: 26 round trips; the budget is 2
def save(r, customer, number, text):
    pipe = r.pipeline()
    pipe.set(f"exercise:order:{number}", text)
    pipe.sadd(f"exercise:orders-of:{customer}", number)
    pipe.execute()


def find(r, customer):
    return [
        r.get(f"exercise:order:{int(number)}")
        for number in r.smembers(f"exercise:orders-of:{customer}")
    ]


lab.check("05.1", (save, find))
