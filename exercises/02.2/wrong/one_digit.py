# refused: for n = 5 you say
def bytes_sent(n):
    return len("*3\r\n$4\r\nMSET\r\n") + sum(
        len(f"${len(f'k{i}')}\r\nk{i}\r\n$1\r\nv\r\n") for i in range(n)
    )


lab.check("02.2", bytes_sent)
