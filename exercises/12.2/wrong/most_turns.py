# refused: one slow command:
def slowest(r, program):
    with lab.trace() as t:
        program(r)
    return t.call_sites[0].site.function


lab.check("12.2", slowest)
