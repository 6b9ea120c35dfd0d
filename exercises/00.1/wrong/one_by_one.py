# refused: right values, but 4 round trips; the budget is 2
def two_turns(r):
    r.set("exercise:a", 1)
    r.set("exercise:b", 2)
    return [r.get("exercise:a"), r.get("exercise:b")]


lab.check("00.1", two_turns)
