# refused: never two pages under way at a time
def count_visits(r, pages):
    def visit(page):
        pipe = r.pipeline(transaction=False)
        pipe.incr(f"exercise:{page}")
        pipe.incr("exercise:all")
        return pipe.execute()[0]

    return [visit(page) for page in pages]


lab.check("08.2", count_visits)
