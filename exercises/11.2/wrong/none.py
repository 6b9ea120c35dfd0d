# refused: save returned None
def save(r, key, value):
    with r.client() as one:
        one.set(key, value)
        if one.wait(1, 200):
            return True


lab.check("11.2", save)
