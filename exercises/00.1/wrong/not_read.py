# refused: but nothing was read
def two_turns(r):
    r.mset({"exercise:a": 1, "exercise:b": 2})
    return [b"1", b"2"]


lab.check("00.1", two_turns)
