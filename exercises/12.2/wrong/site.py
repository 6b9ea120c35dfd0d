# refused: not the name of a function, such as 'stock'
def slowest(r, program):
    with lab.trace() as t:
        program(r)
    return max(t.call_sites, key=lambda each: each.seconds)


lab.check("12.2", slowest)
