# refused: right values, but 399 round trips; wanted is one for each of 200 keys
limit = asyncio.Semaphore(20)


async def read_all(r, keys):
    async def one(key):
        async with limit:
            if await r.get(key) is not None:
                return await r.get(key)

    return await asyncio.gather(*(one(key) for key in keys))


lab.check("08.1", read_all)
