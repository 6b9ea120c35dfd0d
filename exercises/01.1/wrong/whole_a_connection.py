# refused: ceiling(300, 5) returned 15; it is 16.6667
def ceiling(rtt_ms, connections):
    return 1000 // rtt_ms * connections


lab.check("01.1", ceiling)
