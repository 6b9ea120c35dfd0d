# refused: exercise:all is 100 and should be 140
def count_visits(r, pages):
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda page: r.incr(f"exercise:{page}"), pages))


lab.check("08.2", count_visits)
