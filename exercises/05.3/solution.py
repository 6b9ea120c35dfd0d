def place(number):
    return f"exercise:visits:{number // 100}", number % 100


lab.check("05.3", place)
