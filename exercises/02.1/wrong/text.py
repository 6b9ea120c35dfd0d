# refused: not bytes
def encode(*parts):
    return f"*{len(parts)}\r\n" + "".join(f"${len(str(part))}\r\n{part}\r\n" for part in parts)


lab.check("02.1", encode)
