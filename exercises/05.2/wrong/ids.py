# refused: where a record was to stand
def find(r, city, plan):
    return list(r.sinter(f"exercise:city:{city}", f"exercise:plan:{plan}"))


lab.check("05.2", find)
