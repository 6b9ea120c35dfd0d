# refused: token 3, after 5: the value is 'b' and should be 'a'
def write(r, key, value, token):
    r.hset(key, "value", value)
    return True


lab.check("11.3", write)
