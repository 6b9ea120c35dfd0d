# refused: it should be [[b
def decode(data):
    kind, lines = data[:1], data[1:].split(b"\r\n")
    if kind == b":":
        return int(lines[0])
    if kind == b"_" or lines[0] == b"-1":
        return None
    if kind == b"$":
        size = int(lines[0])
        return data[3 + len(lines[0]) : 3 + len(lines[0]) + size]
    if kind == b"*":
        found, rest = [], data.partition(b"\r\n")[2]
        for _ in range(int(lines[0])):
            if rest[:1] == b"$":
                head, _, tail = rest.partition(b"\r\n")
                found.append(tail[: int(head[1:])])
                rest = tail[int(head[1:]) + 2 :]
            else:
                head, _, rest = rest.partition(b"\r\n")
                found.append(int(head[1:]) if head[:1] == b":" else head[1:])
        return found
    return lines[0]


lab.check("02.3", decode)
