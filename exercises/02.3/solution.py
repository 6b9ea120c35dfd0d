def read_one(data):
    line, _, rest = data.partition(b"\r\n")
    kind, text = line[:1], line[1:]
    if kind == b"+":
        return text, rest
    if kind == b":":
        return int(text), rest
    if kind == b"_" or text == b"-1":
        return None, rest
    if kind == b"$":
        return rest[: int(text)], rest[int(text) + 2 :]
    items = []
    for _ in range(int(text)):
        item, rest = read_one(rest)
        items.append(item)
    return items, rest


def decode(data):
    return read_one(data)[0]


lab.check("02.3", decode)
