# refused: so this would be another benchmark
turns_by_the_table = 5


def read_all(r, keys):
    pipe = r.pipeline(transaction=False)
    for key in keys:
        pipe.get(key)
    return pipe.execute()


lab.check("13.2", (turns_by_the_table, read_all))
