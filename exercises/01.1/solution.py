def ceiling(rtt_ms, connections):
    return connections * 1000 / rtt_ms


lab.check("01.1", ceiling)
