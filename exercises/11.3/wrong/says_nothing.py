# refused: write returned None
def write(r, key, value, token):
    r.hset(key, mapping={"value": value, "token": token})


lab.check("11.3", write)
