import redis


def refused(r, keys, member):
    with r.pipeline() as pipe:
        for key in keys:
            pipe.sadd(key, member)
        replies = dict(zip(keys, pipe.execute(raise_on_error=False)))
    return {key for key, reply in replies.items() if isinstance(reply, redis.RedisError)}


lab.check("04.3", refused)
