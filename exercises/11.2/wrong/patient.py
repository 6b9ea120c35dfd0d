# refused: 0.2 s is all it may take
def save(r, key, value):
    pipe = r.pipeline(transaction=False)
    pipe.set(key, value)
    pipe.wait(1, 1_600)
    return pipe.execute()[1] >= 1


lab.check("11.2", save)
