# refused: WAIT went over a connection that had not written the value
def save(r, key, value):
    pipe = r.pipeline(transaction=False)
    pipe.wait(1, 200)
    pipe.set(key, value)
    return pipe.execute()[0] >= 1


lab.check("11.2", save)
