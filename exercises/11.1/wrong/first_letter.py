# refused: share the key
def keys_of(user, fields):
    return [f"{{{user}}}:{field[0]}" for field in fields]


lab.check("11.1", keys_of)
