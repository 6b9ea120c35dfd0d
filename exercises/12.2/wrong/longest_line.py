# refused: one function, two lines:
def slowest(r, program):
    with lab.trace() as t:
        program(r)
    longest = max(t.call_sites, key=lambda each: each.seconds)
    return longest.site.function


lab.check("12.2", slowest)
