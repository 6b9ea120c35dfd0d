# refused: right values, but 1 round trip; wanted is one for each of 200 keys
async def read_all(r, keys):
    pipe = r.pipeline(transaction=False)
    for key in keys:
        pipe.get(key)
    return await pipe.execute()


lab.check("08.1", read_all)
