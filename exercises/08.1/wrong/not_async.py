# refused: must be a coroutine function
def read_all(r, keys):
    return [r.get(key) for key in keys]


lab.check("08.1", read_all)
