# refused: right so far, but 2 round trips; the budget is 1
def release(r, key, token):
    if r.get(key) == token.encode():
        r.delete(key)
        return True
    return False


lab.check("07.1", release)
