# refused: one pipeline is in the hands of several threads
def count_visits(r, pages):
    pipe = r.pipeline(transaction=False)

    def visit(page):
        pipe.incr(f"exercise:{page}")
        pipe.incr("exercise:all")
        return pipe.execute()[0]

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(visit, pages))


lab.check("08.2", count_visits)
