def keys_of(user, fields):
    return ["{" + user + "}/" + field for field in fields]


lab.check("11.1", keys_of)
