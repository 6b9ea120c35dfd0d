# refused: returned a list of 0, not of 14
def thread(r, post):
    comments = r.lrange(f"exercise:thread:{post}", 0, -1)
    pipe = r.pipeline(transaction=False)
    for comment in comments:
        pipe.hgetall(f"exercise:comment:{comment}")
    found = [fields for fields in pipe.execute() if fields]
    for fields in found:
        pipe.hmget(f"exercise:author:{fields['author']}", "name", "banned")
    authors = pipe.execute()
    return [
        f"{name}: {fields['text']}" for fields, (name, banned) in zip(found, authors) if not banned
    ]


lab.check("12.4", thread)
