# refused: Łódź
def encode(*parts):
    message = f"*{len(parts)}\r\n".encode()
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode()
        message += (
            f"${len(str(part)) if not isinstance(part, bytes) else len(part)}\r\n".encode()
            + raw
            + b"\r\n"
        )
    return message


lab.check("02.1", encode)
