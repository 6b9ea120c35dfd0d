# refused: 100 tries and still at it
import redis


def take(r, key, amount):
    with r.pipeline() as pipe:
        while True:
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


lab.check("04.2", take)
