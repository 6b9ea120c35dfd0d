# refused: you released a lock that somebody else holds
def release(r, key, token):
    return r.delete(key) == 1


lab.check("07.1", release)
