# refused: for n = 1 you say 9
def bytes_sent(n):
    return len("MSET " + " ".join(f"k{i} v" for i in range(n)))


lab.check("02.2", bytes_sent)
