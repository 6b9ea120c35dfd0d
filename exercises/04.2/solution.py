import random
import time

import redis


def take(r, key, amount):
    with r.pipeline() as pipe:
        for _ in range(20):
            try:
                pipe.watch(key)
                if int(pipe.get(key) or 0) < amount:
                    return False
                pipe.multi()
                pipe.decrby(key, amount)
                pipe.execute()
                return True
            except redis.WatchError as error:
                lost = error.__context__
                if isinstance(lost, (redis.ConnectionError, redis.TimeoutError)):
                    raise lost from None  # perhaps after EXEC: again might be twice
                time.sleep(random.random() / 1_000)  # at random: rivals should not meet again
    raise redis.WatchError(f"{key}: others were faster 20 times")


lab.check("04.2", take)
