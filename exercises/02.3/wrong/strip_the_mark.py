# refused: it should be 42
def decode(data):
    return data[1:-2]


lab.check("02.3", decode)
