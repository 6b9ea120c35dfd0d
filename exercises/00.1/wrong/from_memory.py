# refused: the values are stored, but the function returned [1, 2]
def two_turns(r):
    values = {"exercise:a": 1, "exercise:b": 2}
    r.mset(values)
    return list(values.values())


lab.check("00.1", two_turns)
