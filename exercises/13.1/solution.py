def explain(figures):
    many, longer = figures[0]
    few, shorter = figures[-1]
    t = (longer - shorter) / (many - few)
    s = shorter - few * t
    evidence = {turns: s + turns * t for turns, _ in figures[1:-1]}
    return t, s, evidence


lab.check("13.1", explain)
