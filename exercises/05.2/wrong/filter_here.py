# refused: were read to return 117
def find(r, city, plan):
    pipe = r.pipeline(transaction=False)
    for number in r.smembers(f"exercise:city:{city}"):
        pipe.hgetall(f"exercise:customer:{int(number)}")
    return [record for record in pipe.execute() if record.get(b"plan") == plan.encode()]


lab.check("05.2", find)
