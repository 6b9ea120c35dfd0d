# refused: The other client's update is lost
def take(r, key, amount):
    left = int(r.get(key))
    if left < amount:
        return False
    r.set(key, left - amount)
    return True


lab.check("04.2", take)
