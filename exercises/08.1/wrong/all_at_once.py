# refused: 200 connections; you were granted 20
async def read_all(r, keys):
    return await asyncio.gather(*(r.get(key) for key in keys))


lab.check("08.1", read_all)
