# refused: 120 users lie in 1 slot: one node would do the work of all
def keys_of(user, fields):
    return [f"{{user}}:{user}:{field}" for field in fields]


lab.check("11.1", keys_of)
