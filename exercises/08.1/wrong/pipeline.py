# refused: right values in 1 round trip, which is better
async def read_all(r, keys):
    pipe = r.pipeline(transaction=False)
    for key in keys:
        pipe.get(key)
    return await pipe.execute()


lab.check("08.1", read_all)
