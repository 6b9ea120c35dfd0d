# refused: round trips; the budget is 3
def thread(r, post):
    pipe = r.pipeline(transaction=False)
    for comment in r.lrange(f"exercise:thread:{post}", 0, -1):
        pipe.hmget(f"exercise:comment:{comment}", "author", "text")
    lines = []
    for author, text in pipe.execute():
        if author and r.hget(f"exercise:author:{author}", "banned") != "1":
            lines.append(f"{r.hget(f'exercise:author:{author}', 'name')}: {text}")
    return lines


lab.check("12.4", thread)
