# refused: The name of a function was expected
def slowest(r, program):
    with lab.trace() as t:
        program(r)
    return max(t.call_sites, key=lambda each: each.seconds)


lab.check("12.2", slowest)
