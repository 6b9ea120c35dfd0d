# refused: encode('PING',) is b'*1\r\n$4\r\nPING', and redis-py sends
def encode(*parts):
    lines = [b"*%d" % len(parts)]
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode()
        lines += [b"$%d" % len(raw), raw]
    return b"\r\n".join(lines)


lab.check("02.1", encode)
