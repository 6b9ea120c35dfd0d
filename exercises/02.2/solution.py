def part(text):
    return len(f"${len(text)}\r\n{text}\r\n")


def bytes_sent(n):
    head = len(f"*{2 * n + 1}\r\n") + part("MSET")
    return head + sum(part(f"k{i}") + part("v") for i in range(n))


lab.check("02.2", bytes_sent)
