def bytes_sent(n):
    words = ["MSET"] + [word for i in range(n) for word in (f"k{i}", "v")]
    return len(f"*{len(words)}\r\n" + "".join(f"${len(word)}\r\n{word}\r\n" for word in words))


lab.check("02.2", bytes_sent)
