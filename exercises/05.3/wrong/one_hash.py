# refused: no longer packed; exercise:visits has 10,000 fields
def place(number):
    return "exercise:visits", number


lab.check("05.3", place)
