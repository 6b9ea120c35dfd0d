# refused: take returned False, though 9 were left
import redis


def take(r, key, amount):
    with r.pipeline() as pipe:
        pipe.watch(key)
        if int(pipe.get(key)) < amount:
            return False
        pipe.multi()
        pipe.decrby(key, amount)
        try:
            pipe.execute()
        except redis.WatchError:
            return False
        return True


lab.check("04.2", take)
