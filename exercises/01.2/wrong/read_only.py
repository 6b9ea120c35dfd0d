# refused: user 0: returned ('user 0', '0') where today's version returns ('user 0', 1)
def page(r, users):
    pipe = r.pipeline(transaction=False)
    for user in users:
        pipe.get(f"exercise:name:{user}")
        pipe.get(f"exercise:visits:{user}")
    replies = pipe.execute()
    return list(zip(replies[::2], replies[1::2]))


lab.check("01.2", page)
