# refused: 119 round trips; the budget is 2
def find(r, city, plan):
    for number in r.sinter(f"exercise:city:{city}", f"exercise:plan:{plan}"):
        record = r.hgetall(f"exercise:customer:{int(number)}")
        if record:
            yield record


lab.check("05.2", find)
