# refused: 119 round trips; the budget is 2
def find(r, city, plan):
    numbers = r.sinter(f"exercise:city:{city}", f"exercise:plan:{plan}")
    records = [r.hgetall(f"exercise:customer:{int(number)}") for number in numbers]
    return [record for record in records if record]


lab.check("05.2", find)
