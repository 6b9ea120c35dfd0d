# refused: round trips; the budget is 3
def thread(r, post):
    lines = []
    for comment in r.lrange(f"exercise:thread:{post}", 0, -1):
        author, text = r.hmget(f"exercise:comment:{comment}", "author", "text")
        if author:
            name, banned = r.hmget(f"exercise:author:{author}", "name", "banned")
            if banned != "1":
                lines.append(f"{name}: {text}")
    return lines


lab.check("12.4", thread)
