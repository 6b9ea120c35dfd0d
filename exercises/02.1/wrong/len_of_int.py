# refused: raised TypeError in line 5: object of type 'int' has no len()
def encode(*parts):
    message = b"*%d\r\n" % len(parts)
    for part in parts:
        size = len(part)
        part = part if isinstance(part, bytes) else part.encode()
        message += b"$%d\r\n%s\r\n" % (size, part)
    return message


lab.check("02.1", encode)
