# refused: the pipeline sends 1 command for 100 keys
def fair_pair():
    values = {f"exercise:{i}": "x" * 1_000 for i in range(100)}

    def loop(r):
        for key, value in values.items():
            r.set(key, value)

    def pipeline(r):
        r.mset(values)

    return loop, pipeline


lab.check("14.2", fair_pair)
