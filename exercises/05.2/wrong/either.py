# refused: there are 117 to find
def find(r, city, plan):
    pipe = r.pipeline(transaction=False)
    for number in r.sunion(f"exercise:city:{city}", f"exercise:plan:{plan}"):
        pipe.hgetall(f"exercise:customer:{int(number)}")
    return [record for record in pipe.execute() if record]


lab.check("05.2", find)
