# refused: which is the published figure
def explain(figures):
    (many, longer), (few, shorter) = figures[0], figures[-1]
    t = (longer - shorter) / (many - few)
    s = shorter - few * t
    return t, s, dict(figures[1:-1])


lab.check("13.1", explain)
