# refused: never more than 1 under way at a time
async def read_all(r, keys):
    return [await r.get(key) for key in keys]


lab.check("08.1", read_all)
