# refused: it should be b
def decode(data):
    return data[1:-2]

lab.check("02.3", decode)
