# refused: take returned False, and yet the stock went down to 1
import redis


def take(r, key, amount):
    with r.pipeline() as pipe:
        while True:
            try:
                pipe.watch(key)
                left = int(pipe.get(key))
                if left < amount:
                    return False
                pipe.set(key, left - amount)
                pipe.execute()
                return True
            except redis.WatchError:
                continue


lab.check("04.2", take)
