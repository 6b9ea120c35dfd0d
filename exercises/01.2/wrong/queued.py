# refused: you returned the pipeline itself where a reply should be
def page(r, users):
    pipe = r.pipeline(transaction=False)
    answers = []
    for user in users:
        name = pipe.get(f"exercise:name:{user}")
        visits = pipe.incr(f"exercise:visits:{user}")
        answers.append((name, visits))
    pipe.execute()
    return answers


lab.check("01.2", page)
