# refused: the loop makes 1 round trip and should make 100
def fair_pair():
    def loop(r):
        for i in range(100):
            r.set(f"exercise:{i}", "x" * 1_000)

    def pipeline(r):
        pipe = r.pipeline(transaction=False)
        for i in range(100):
            pipe.set(f"exercise:{i}", "x" * 1_000)
        pipe.execute()

    return pipeline, loop


lab.check("14.2", fair_pair)
