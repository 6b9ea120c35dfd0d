# refused: it holds the set-up of a connection too
def hidden_rtt(turns, loop_s, pipeline_s):
    return loop_s / turns * 1000


lab.check("01.3", hidden_rtt)
