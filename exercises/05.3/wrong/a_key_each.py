# refused: in 10,000 keys; the budget is 200
def place(number):
    return f"exercise:visits:{number}", "count"


lab.check("05.3", place)
