# refused: your code raised WatchError
def take(r, key, amount):
    with r.pipeline() as pipe:
        pipe.watch(key)
        if int(pipe.get(key)) < amount:
            return False
        pipe.multi()
        pipe.decrby(key, amount)
        pipe.execute()
        return True


lab.check("04.2", take)
