# refused: ceiling(300, 5) returned 15
def ceiling(rtt_ms, connections):
    return 1000 // rtt_ms * connections

lab.check("01.1", ceiling)
