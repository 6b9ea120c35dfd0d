# refused: 1 at 20 ms a turn make 20 ms, and by the table a GET takes about 102 ms
turns_by_the_table = 1


def read_all(r, keys):
    return [r.get(key) for key in keys]


lab.check("13.2", (turns_by_the_table, read_all))
