# refused: : the stock went below zero
def take(r, key, amount):
    if r.decrby(key, amount) < 0:
        r.incrby(key, amount)
        return False
    return True


lab.check("04.2", take)
