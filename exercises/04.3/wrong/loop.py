# refused: right keys, but 105 round trips; the budget is 1
import redis


def refused(r, keys, member):
    failed = []
    for key in keys:
        try:
            r.sadd(key, member)
        except redis.ResponseError:
            failed.append(key)
    return failed


lab.check("04.3", refused)
