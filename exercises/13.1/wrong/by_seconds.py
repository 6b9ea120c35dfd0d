# refused: the evidence names 0.2815; it should name 100 turns
def explain(figures):
    (many, longer), (few, shorter) = figures[0], figures[-1]
    t = (longer - shorter) / (many - few)
    s = shorter - few * t
    return t, s, {seconds: s + turns * t for turns, seconds in figures[1:-1]}


lab.check("13.1", explain)
