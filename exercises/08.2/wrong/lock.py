# refused: with one they wait for each other
import threading


def count_visits(r, pages):
    pipe, lock = r.pipeline(transaction=False), threading.Lock()

    def visit(page):
        with lock:
            pipe.incr(f"exercise:{page}")
            pipe.incr("exercise:all")
            return pipe.execute()[0]

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(visit, pages))


lab.check("08.2", count_visits)
