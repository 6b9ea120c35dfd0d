# refused: 3 here, and yours names 500
def explain(figures):
    (many, longer), (few, shorter) = figures[0], figures[-1]
    t = (longer - shorter) / (many - few)
    s = shorter - few * t
    return t, s, {turns: s + turns * t for turns, _ in figures[1:-1][:1]}


lab.check("13.1", explain)
