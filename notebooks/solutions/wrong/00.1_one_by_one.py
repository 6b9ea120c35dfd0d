# refused: right values, but 4 round trips; the budget is 2
def two_turns(r):
    r.set("a", 1)
    r.set("b", 2)
    return [r.get("a"), r.get("b")]

lab.check("00.1", two_turns)
