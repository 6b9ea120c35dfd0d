# refused: it must return a key and a field: two values
def place(number):
    return f"exercise:visits:{number}"


lab.check("05.3", place)
