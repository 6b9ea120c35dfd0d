def keys_of(user, fields):
    return [f"{{user:{user}}}:{field}" for field in fields]


lab.check("11.1", keys_of)
