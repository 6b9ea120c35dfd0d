def two_turns(r):
    r.mset({"a": 1, "b": 2})
    return r.mget(["a", "b"])

lab.check("00.1", two_turns)
