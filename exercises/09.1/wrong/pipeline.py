# refused: but 15,003 commands in
def load(r, values):
    pipe = r.pipeline(transaction=False)
    for key, value in values.items():
        pipe.set(key, value)
    return pipe.execute()


lab.check("09.1", load)
