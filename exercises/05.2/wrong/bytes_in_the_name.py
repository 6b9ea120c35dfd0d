# refused: redis-py returns the members of a set as bytes
def find(r, city, plan):
    pipe = r.pipeline(transaction=False)
    for i in r.sinter(f"exercise:city:{city}", f"exercise:plan:{plan}"):
        pipe.hgetall(f"exercise:customer:{i}")
    return [record for record in pipe.execute() if record]


lab.check("05.2", find)
