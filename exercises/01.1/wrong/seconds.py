# refused: That is the number for an RTT in seconds
def ceiling(rtt_ms, connections):
    return connections / rtt_ms


lab.check("01.1", ceiling)
