def two_turns(r):
    pipe = r.pipeline()
    pipe.set("exercise:a", 1).set("exercise:b", 2).execute()
    return pipe.get("exercise:a").get("exercise:b").execute()


lab.check("00.1", two_turns)
