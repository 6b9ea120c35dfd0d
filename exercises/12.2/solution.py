from collections import Counter


def slowest(r, program):
    with lab.trace() as t:
        program(r)
    seconds = Counter()
    for place in t.call_sites:
        seconds[place.site.function] += place.seconds
    return max(seconds, key=seconds.get)


lab.check("12.2", slowest)
