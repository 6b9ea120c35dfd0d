# refused: by KEYS, which looks at every key of the database
def find(r, city, plan):
    pipe = r.pipeline(transaction=False)
    for key in r.keys("exercise:customer:*"):
        pipe.hgetall(key)
    return [
        record
        for record in pipe.execute()
        if record[b"city"] == city.encode() and record[b"plan"] == plan.encode()
    ]


lab.check("05.2", find)
