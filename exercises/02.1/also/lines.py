def encode(*parts):
    lines = [f"*{len(parts)}".encode()]
    for part in parts:
        raw = part if isinstance(part, bytes) else f"{part}".encode()
        lines += [f"${len(raw)}".encode(), raw]
    return b"\r\n".join(lines) + b"\r\n"


lab.check("02.1", encode)
