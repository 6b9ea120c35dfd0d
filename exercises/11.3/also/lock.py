def write(r, key, value, token):
    with r.lock(f"{key}:lock", timeout=5, sleep=0.01):  # for as long as nobody stands still for 5 s
        if token < int(r.hget(key, "token") or 0):
            return False
        r.hset(key, mapping={"value": value, "token": token})
        return True


lab.check("11.3", write)
