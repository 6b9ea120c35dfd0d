# refused: page returned a list of 202, not of 101
def page(r, users):
    pipe = r.pipeline(transaction=False)
    for user in users:
        pipe.get(f"exercise:name:{user}")
        pipe.incr(f"exercise:visits:{user}")
    return pipe.execute()


lab.check("01.2", page)
