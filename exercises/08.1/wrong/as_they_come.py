# refused: not in the right order
async def read_all(r, keys):
    limit, values = asyncio.Semaphore(20), []

    async def one(key):
        async with limit:
            values.append(await r.get(key))

    await asyncio.gather(*(one(key) for key in reversed(keys)))
    return values


lab.check("08.1", read_all)
