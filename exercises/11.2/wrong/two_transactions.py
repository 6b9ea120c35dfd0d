# refused: WAIT stands inside MULTI
def save(r, key, value):
    r.pipeline().set(key, value).execute()
    return r.pipeline().wait(1, 200).execute()[0] >= 1


lab.check("11.2", save)
