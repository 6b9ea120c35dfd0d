def save(r, key, value):
    with r.client() as one:
        one.set(key, value)
        return one.wait(1, 200) > 0


lab.check("11.2", save)
