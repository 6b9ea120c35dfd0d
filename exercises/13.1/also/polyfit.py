import numpy


def explain(figures):
    turns, seconds = zip(figures[0], figures[-1])
    t, s = numpy.polyfit(turns, seconds, 1)
    expected = numpy.polyval((t, s), [turns for turns, _ in figures[1:-1]])
    return t, s, dict(zip([turns for turns, _ in figures[1:-1]], expected))


lab.check("13.1", explain)
