# refused: a thread of 24 comments
def thread(r, post):
    pipe = r.pipeline(transaction=False)
    for comment in r.lrange(f"exercise:thread:{post}", 0, -1):
        pipe.hmget(f"exercise:comment:{comment}", "author", "text")
    comments = [(author, text) for author, text in pipe.execute() if author]
    for author, _ in comments:
        pipe.hget(f"exercise:author:{author}", "name")
    return [f"{name}: {text}" for name, (_, text) in zip(pipe.execute(), comments)]


lab.check("12.4", thread)
