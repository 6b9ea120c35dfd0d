# refused: the longest of 76 characters
def place(number):
    return f"exercise:visits:{number // 100}", f"{number % 100:076}"


lab.check("05.3", place)
