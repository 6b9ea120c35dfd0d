def count_visits(r, pages):
    pipes = []
    for page in pages:
        pipe = r.pipeline(transaction=False)
        pipe.incr(f"exercise:{page}")
        pipe.incr("exercise:all")
        pipes.append(pipe)
    with ThreadPoolExecutor(8) as pool:
        return [replies[0] for replies in pool.map(lambda pipe: pipe.execute(), pipes)]


lab.check("08.2", count_visits)
