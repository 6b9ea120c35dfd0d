# refused: 'exercise:blue' is not in your list
import redis


def refused(r, keys, member):
    pipe = r.pipeline(transaction=False)
    for key in keys:
        pipe.sadd(key, member)
    try:
        pipe.execute()
    except redis.ResponseError:
        return []
    return []


lab.check("04.3", refused)
