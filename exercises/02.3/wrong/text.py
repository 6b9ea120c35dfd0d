# refused: is 'OK'; it should be b'OK'
def decode(data):
    line, _, rest = data.partition(b"\r\n")
    if line[:1] == b"+":
        return line[1:].decode()
    return int(line[1:])


lab.check("02.3", decode)
