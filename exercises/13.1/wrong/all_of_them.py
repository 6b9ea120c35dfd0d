# refused: 2 figures of your evidence went into the fit
def explain(figures):
    (many, longer), (few, shorter) = figures[0], figures[-1]
    t = (longer - shorter) / (many - few)
    s = shorter - few * t
    return t, s, {turns: s + turns * t for turns, _ in figures}


lab.check("13.1", explain)
