# refused: and by the table a GET takes about 102 ms. The GET itself is a turn too
turns_by_the_table = 4


def read_all(r, keys):
    return [r.get(key) for key in keys]


lab.check("13.2", (turns_by_the_table, read_all))
