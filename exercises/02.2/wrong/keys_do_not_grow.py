# refused: for n = 100 you say
def bytes_sent(n):
    return len(f"*{2 * n + 1}\r\n$4\r\nMSET\r\n") + n * len("$2\r\nk0\r\n$1\r\nv\r\n")


lab.check("02.2", bytes_sent)
