# refused: two pages share a counter
def place(number):
    return f"exercise:visits:{number % 100}", number % 50


lab.check("05.3", place)
