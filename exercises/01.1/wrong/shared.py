# refused: ceiling(5, 8) returned 25; it is 1,600
def ceiling(rtt_ms, connections):
    return 1000 / rtt_ms / connections


lab.check("01.1", ceiling)
