# refused: page: place 0 holds ['user 0', 1] and should hold ('user 0', 1)
def page(r, users):
    pipe = r.pipeline(transaction=False)
    for user in users:
        pipe.get(f"exercise:name:{user}")
        pipe.incr(f"exercise:visits:{user}")
    replies = pipe.execute()
    return [replies[i : i + 2] for i in range(0, len(replies), 2)]


lab.check("01.2", page)
