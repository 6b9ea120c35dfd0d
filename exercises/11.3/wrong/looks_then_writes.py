# refused: token 2, and token 99 wrote between your look and your write: the value is 'late'
def write(r, key, value, token):
    if token < int(r.hget(key, "token") or 0):
        return False
    r.hset(key, mapping={"value": value, "token": token})
    return True


lab.check("11.3", write)
