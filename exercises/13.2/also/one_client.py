turns_by_the_table = 5.08 / 50 / 0.020


def read_all(r, keys):
    values = []
    with r.client() as one:
        for key in keys:
            values.append(one.execute_command("GET", key))
    return values


lab.check("13.2", (turns_by_the_table, read_all))
