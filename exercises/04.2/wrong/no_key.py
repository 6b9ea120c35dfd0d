# refused: there is no such key: take raised TypeError
import redis


def take(r, key, amount):
    with r.pipeline() as pipe:
        for _ in range(20):
            try:
                pipe.watch(key)
                if int(pipe.get(key)) < amount:
                    return False
                pipe.multi()
                pipe.decrby(key, amount)
                pipe.execute()
                return True
            except redis.WatchError:
                continue
    raise redis.WatchError


lab.check("04.2", take)
