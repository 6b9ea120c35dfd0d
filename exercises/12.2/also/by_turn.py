def slowest(r, program):
    with lab.trace() as t:
        program(r)
    seconds = {}
    for turn in t.log:
        name = turn.site.function
        seconds[name] = seconds.get(name, 0) + turn.seconds
    return max(seconds, key=seconds.get)


lab.check("12.2", slowest)
