# refused: not a key and a field
def place(number):
    return f"exercise:visits:{number}"


lab.check("05.3", place)
