def save(r, key, value):
    pipe = r.pipeline(transaction=False)
    pipe.execute_command("MULTI")
    pipe.set(key, value)
    pipe.execute_command("EXEC")
    pipe.execute_command("WAIT", 1, 200)
    return pipe.execute()[-1] >= 1


lab.check("11.2", save)
