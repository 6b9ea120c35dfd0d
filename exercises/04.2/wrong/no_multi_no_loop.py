# refused: raised WatchError, and nobody else wrote: your own write went out before multi()
def take(r, key, amount):
    with r.pipeline() as pipe:
        pipe.watch(key)
        if int(pipe.get(key) or 0) < amount:
            return False
        pipe.decrby(key, amount)
        pipe.execute()
        return True


lab.check("04.2", take)
