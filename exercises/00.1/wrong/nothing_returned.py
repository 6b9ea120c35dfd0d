# refused: the values are stored, but the function returned None
def two_turns(r):
    r.mset({"exercise:a": 1, "exercise:b": 2})


lab.check("00.1", two_turns)
