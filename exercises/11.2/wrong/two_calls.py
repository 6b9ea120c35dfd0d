# refused: the value went over one connection and WAIT over another
def save(r, key, value):
    r.set(key, value)
    return r.wait(1, 200) >= 1

lab.check("11.2", save)
