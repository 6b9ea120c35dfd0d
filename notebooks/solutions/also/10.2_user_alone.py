def keys_of(user, fields):
    return ["{" + user + "}/" + field for field in fields]

lab.check("10.2", keys_of)
