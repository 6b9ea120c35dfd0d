def find(r, city, plan):
    pipe = r.pipeline()
    pipe.smembers(f"exercise:city:{city}")
    pipe.smembers(f"exercise:plan:{plan}")
    here, paying = pipe.execute()
    for number in here & paying:
        pipe.hgetall(f"exercise:customer:{number.decode()}")
    return list(filter(None, pipe.execute()))


lab.check("05.2", find)
