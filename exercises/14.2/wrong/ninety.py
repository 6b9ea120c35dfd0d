# refused: the pipeline leaves 90 keys
def fair_pair():
    def loop(r):
        for i in range(100):
            r.set(f"exercise:{i}", "x" * 1_000)

    def pipeline(r):
        pipe = r.pipeline(transaction=False)
        for i in range(90):
            pipe.set(f"exercise:{i}", "x" * 1_000)
        pipe.execute()

    return loop, pipeline


lab.check("14.2", fair_pair)
