# refused: 80 round trips; the budget is 40
def count_visits(r, pages):
    def visit(page):
        r.incr("exercise:all")
        return r.incr(f"exercise:{page}")

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(visit, pages))


lab.check("08.2", count_visits)
