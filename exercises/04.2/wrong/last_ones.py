# refused: 3 wanted of 3: take returned False, though 3 were left
import redis


def take(r, key, amount):
    with r.pipeline() as pipe:
        for _ in range(20):
            try:
                pipe.watch(key)
                if int(pipe.get(key) or 0) <= amount:
                    return False
                pipe.multi()
                pipe.decrby(key, amount)
                pipe.execute()
                return True
            except redis.WatchError:
                continue
    raise redis.WatchError


lab.check("04.2", take)
