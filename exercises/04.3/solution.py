import redis


def refused(r, keys, member):
    pipe = r.pipeline(transaction=False)
    for key in keys:
        pipe.sadd(key, member)
    no_sets = []
    for key, reply in zip(keys, pipe.execute(raise_on_error=False)):
        if isinstance(reply, redis.ResponseError):
            if not str(reply).startswith("WRONGTYPE"):
                raise reply  # memory full, not allowed: that says nothing about the key
            no_sets.append(key)
    return no_sets


lab.check("04.3", refused)
