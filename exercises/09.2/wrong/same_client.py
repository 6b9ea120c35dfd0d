# refused: this is the very client that was passed in
def without_hiredis(r):
    return r


lab.check("09.2", without_hiredis)
