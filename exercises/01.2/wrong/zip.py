# refused: page returned <zip object
def page(r, users):
    pipe = r.pipeline(transaction=False)
    for user in users:
        pipe.get(f"exercise:name:{user}")
        pipe.incr(f"exercise:visits:{user}")
    replies = pipe.execute()
    return zip(replies[::2], replies[1::2])


lab.check("01.2", page)
