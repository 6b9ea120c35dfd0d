# refused: of the pool did not come back
import redis

kept = []


def take(r, key, amount):
    pipe = r.pipeline()
    kept.append(pipe)
    for _ in range(20):
        try:
            pipe.watch(key)
            if int(pipe.get(key) or 0) < amount:
                return False
            pipe.multi()
            pipe.decrby(key, amount)
            pipe.execute()
            return True
        except redis.WatchError:
            continue
    raise redis.WatchError


lab.check("04.2", take)
