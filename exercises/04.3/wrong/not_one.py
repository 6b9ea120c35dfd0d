# refused: 'exercise:green' is in your list, and is no key whose SADD failed; a reply of 0 means
def refused(r, keys, member):
    pipe = r.pipeline(transaction=False)
    for key in keys:
        pipe.sadd(key, member)
    replies = pipe.execute(raise_on_error=False)
    return [key for key, reply in zip(keys, replies) if reply != 1]


lab.check("04.3", refused)
