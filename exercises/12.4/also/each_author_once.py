def thread(r, post):
    pipe = r.pipeline()
    for comment in r.lrange(f"exercise:thread:{post}", 0, -1):
        pipe.hgetall(f"exercise:comment:{comment}")
    comments = [comment for comment in pipe.execute() if comment]
    names = sorted({comment["author"] for comment in comments})
    for name in names:
        pipe.hgetall(f"exercise:author:{name}")
    authors = dict(zip(names, pipe.execute()))
    return [
        f"{authors[comment['author']]['name']}: {comment['text']}"
        for comment in comments
        if authors[comment["author"]]["banned"] == "0"
    ]


lab.check("12.4", thread)
