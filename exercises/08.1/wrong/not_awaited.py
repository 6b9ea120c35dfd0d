# refused: before the values were there
async def read_all(r, keys):
    return asyncio.gather(*map(r.get, keys))


lab.check("08.1", read_all)
