def save(r, key, value):
    pipe = r.pipeline(transaction=False)
    pipe.set(key, value)
    pipe.wait(1, 200)
    confirmed = pipe.execute()[1]
    return confirmed >= 1


lab.check("11.2", save)
