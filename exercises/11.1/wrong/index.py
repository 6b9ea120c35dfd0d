# refused: what the one writes the other never finds
def keys_of(user, fields):
    return [f"{{{user}}}:{index}" for index, _ in enumerate(fields)]


lab.check("11.1", keys_of)
