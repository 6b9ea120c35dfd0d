# refused: afterwards exercise:a and exercise:b hold [None, None]
def two_turns(r):
    return [b"1", b"2"]


lab.check("00.1", two_turns)
