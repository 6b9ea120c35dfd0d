def encode(*parts):
    message = b"*%d\r\n" % len(parts)
    for part in parts:
        part = part if isinstance(part, bytes) else str(part).encode()
        message += b"$%d\r\n%s\r\n" % (len(part), part)
    return message


lab.check("02.1", encode)
