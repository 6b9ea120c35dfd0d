# refused: redis-py tried again: your code raised WatchError
def record(r, batch, sales):
    with r.pipeline() as pipe:
        pipe.watch(batch)
        if pipe.exists(batch):
            return
        pipe.multi()
        for product, number in sales.items():
            pipe.incrby(f"exercise:{{shop}}:{product}", number)
        pipe.set(batch, 1, ex=172_800)
        pipe.execute()


lab.check("10.1", record)
