# refused: the pipeline sends 102 commands for 100 keys: one SET a key is the work, and MULTI and EXEC
def fair_pair():
    def loop(r):
        for i in range(100):
            r.set(f"exercise:{i}", "x" * 1_000)

    def pipeline(r):
        pipe = r.pipeline()
        for i in range(100):
            pipe.set(f"exercise:{i}", "x" * 1_000)
        pipe.execute()

    return loop, pipeline


lab.check("14.2", fair_pair)
