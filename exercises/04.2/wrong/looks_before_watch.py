# refused: 3 wanted of 10, and another client took 8 while you were deciding: the stock went below zero
import redis


def take(r, key, amount):
    with r.pipeline() as pipe:
        while True:
            try:
                if int(r.get(key)) < amount:
                    return False
                pipe.watch(key)
                pipe.multi()
                pipe.decrby(key, amount)
                pipe.execute()
                return True
            except redis.WatchError:
                continue


lab.check("04.2", take)
