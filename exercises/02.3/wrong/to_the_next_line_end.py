# refused: decode(b'$2\r\n\r\n\r\n') is b''; it should be b'\r\n'
def decode(data):
    kind, lines = data[:1], data[1:].split(b"\r\n")
    if kind == b":":
        return int(lines[0])
    if kind == b"_" or lines[0] == b"-1":
        return None
    return lines[1] if kind == b"$" else lines[0]


lab.check("02.3", decode)
