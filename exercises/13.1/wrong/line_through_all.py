# refused: a line fitted to all figures leaves none to test it
import statistics


def explain(figures):
    turns, seconds = zip(*figures)
    t, s = statistics.linear_regression(turns, seconds)
    return t, s, {turns: s + turns * t for turns, _ in figures[1:-1]}


lab.check("13.1", explain)
