# refused: the counters are right, but count_visits
def count_visits(r, pages):
    def visit(page):
        pipe = r.pipeline(transaction=False)
        pipe.incr(f"exercise:{page}")
        pipe.incr("exercise:all")
        return pipe.execute()

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(visit, pages))


lab.check("08.2", count_visits)
