# refused: 1 here, and yours names 10000, 100, 1
def explain(figures):
    (many, longer), (few, shorter) = figures[0], figures[-1]
    t = (longer - shorter) / (many - few)
    s = shorter - few * t
    return t, s, {turns: s + turns * t for turns, _ in figures}


lab.check("13.1", explain)
