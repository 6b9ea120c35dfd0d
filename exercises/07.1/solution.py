RELEASE = r.register_script("""
if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
end
return 0
""")  # its text goes to the server once, then its digest does


def release(r, key, token):
    # True is certain. False may be the answer of a second sending, whose first released it.
    return RELEASE(keys=[key], args=[token], client=r) == 1


lab.check("07.1", release)
