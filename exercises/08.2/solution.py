def count_visits(r, pages):
    def visit(page):
        pipe = r.pipeline()  # each visit its own; MULTI: it counts in both or in neither
        pipe.incr(f"exercise:{page}")
        pipe.incr("exercise:all")
        return pipe.execute()[0]

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(visit, pages))

lab.check("08.2", count_visits)
