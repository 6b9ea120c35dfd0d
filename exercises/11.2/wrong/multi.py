# refused: WAIT stands inside MULTI
def save(r, key, value):
    pipe = r.pipeline()
    pipe.set(key, value)
    pipe.wait(1, 200)
    return pipe.execute()[1] >= 1


lab.check("11.2", save)
