# refused: an RTT is already there and back
def ceiling(rtt_ms, connections):
    return connections * 1000 / (2 * rtt_ms)


lab.check("01.1", ceiling)
