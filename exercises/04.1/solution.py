def transfer(r, source, target, amount):
    pipe = r.pipeline(transaction=True)  # the default, said aloud: MULTI and EXEC around the two
    pipe.decrby(source, amount)
    pipe.incrby(target, amount)
    pipe.execute()


# It needs what the exercise grants. An r that retries may move the money twice (chapter 10).
# MULTI takes nothing back: where one of the two may hold something else than a number, a script
# has to look before it writes (chapter 07).

lab.check("04.1", transfer)
