# refused: the stock went below zero
import redis


def take(r, key, amount):
    if int(r.get(key)) < amount:
        return False
    with r.pipeline() as pipe:
        while True:
            try:
                pipe.watch(key)
                pipe.multi()
                pipe.decrby(key, amount)
                pipe.execute()
                return True
            except redis.WatchError:
                continue


lab.check("04.2", take)
