def ceiling(rtt_ms, connections):
    seconds = rtt_ms / 1000
    return sum(1 / seconds for _ in range(connections))


lab.check("01.1", ceiling)
