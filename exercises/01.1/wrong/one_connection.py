# refused: That is right for 1 connection, and here 8 wait side by side
def ceiling(rtt_ms, connections):
    return 1000 / rtt_ms


lab.check("01.1", ceiling)
