import io


def decode(data):
    return read(io.BytesIO(data))


def read(file):
    line = file.readline().rstrip(b"\r\n")
    kind, rest = chr(line[0]), line[1:]
    if kind == "+":
        return rest
    if kind == ":":
        return int(rest)
    if kind == "_" or rest == b"-1":
        return None
    if kind == "$":
        return file.read(int(rest) + 2)[:-2]
    return [read(file) for _ in range(int(rest))]


lab.check("02.3", decode)
