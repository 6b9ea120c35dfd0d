# refused: 10 of 10 keys: hashes that are no longer packed
def place(number):
    return f"exercise:visits:{number % 10}", number


lab.check("05.3", place)
