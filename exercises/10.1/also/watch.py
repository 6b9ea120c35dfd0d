# accepted: every sale is counted once
def record(r, batch, sales):
    counters = {f"exercise:{{shop}}:{product}": number for product, number in sales.items()}
    with r.pipeline() as pipe:
        for _ in range(20):
            try:
                pipe.watch(batch, *counters)
                if pipe.exists(batch):
                    return
                for counter in counters:  # GET says so where no text is; MGET would hide it
                    held = pipe.get(counter)
                    if held is not None and str(int(held)).encode() != held:
                        raise ValueError(f"{counter} holds {held!r}, which INCRBY does not take")
                pipe.multi()
                for counter, number in counters.items():
                    pipe.incrby(counter, number)
                pipe.set(batch, "counted", ex=7 * 86_400)
                pipe.execute()
                return
            except redis.WatchError:
                continue
    raise redis.WatchError("others were faster 20 times")


lab.check("10.1", record)
