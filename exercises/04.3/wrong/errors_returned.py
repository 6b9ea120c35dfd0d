# refused: is in your list, and is no key whose SADD failed
import redis


def refused(r, keys, member):
    pipe = r.pipeline(transaction=False)
    for key in keys:
        pipe.sadd(key, member)
    return [
        reply
        for reply in pipe.execute(raise_on_error=False)
        if isinstance(reply, redis.ResponseError)
    ]


lab.check("04.3", refused)
