# refused: but 2 calls at the same time opened 40; you were granted 20 in all
async def read_all(r, keys):
    limit = asyncio.Semaphore(20)

    async def one(key):
        async with limit:
            return await r.get(key)

    return await asyncio.gather(*(one(key) for key in keys))


lab.check("08.1", read_all)
