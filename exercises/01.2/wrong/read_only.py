# refused: page: place 0 holds ('user 0', '0') and should hold ('user 0', 1)
def page(r, users):
    pipe = r.pipeline(transaction=False)
    for user in users:
        pipe.get(f"exercise:name:{user}")
        pipe.get(f"exercise:visits:{user}")
    replies = pipe.execute()
    return list(zip(replies[::2], replies[1::2]))


lab.check("01.2", page)
