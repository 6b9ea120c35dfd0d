# refused: token 99 wrote between two of your writes: the value is 'late'
def write(r, key, value, token):
    r.zadd(f"{key}:token", {"highest": token}, gt=True)
    if r.zscore(f"{key}:token", "highest") > token:
        return False
    r.hset(key, "value", value)
    return True


lab.check("11.3", write)
