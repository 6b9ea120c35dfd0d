# refused: and redis-py sends
def encode(*parts):
    return (" ".join(str(part) for part in parts) + "\r\n").encode()


lab.check("02.1", encode)
