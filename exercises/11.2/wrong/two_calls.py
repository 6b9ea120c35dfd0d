# refused: WAIT went over a connection that had not written the value
def save(r, key, value):
    r.set(key, value)
    return r.wait(1, 200) >= 1


lab.check("11.2", save)
