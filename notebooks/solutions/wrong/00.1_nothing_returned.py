# refused: the values are stored, but the function returned None
def two_turns(r):
    r.mset({"a": 1, "b": 2})

lab.check("00.1", two_turns)
