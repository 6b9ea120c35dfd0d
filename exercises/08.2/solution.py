def count_visits(r, pages):
    def visit(page):
        pipe = r.pipeline(transaction=False)  # each visit its own
        pipe.incr(f"exercise:{page}")
        pipe.incr("exercise:all")
        return pipe.execute()[0]  # sent again after a lost reply, it counts twice (chapter 10)

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(visit, pages))


lab.check("08.2", count_visits)
