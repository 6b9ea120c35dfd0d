# refused: a loop:
def slowest(r, program):
    with lab.trace() as t:
        program(r)
    return max(t.log, key=lambda turn: turn.seconds).site.function


lab.check("12.2", slowest)
