# refused: The difference of the two times is 19 round trips, not 20
def hidden_rtt(turns, loop_s, pipeline_s):
    return (loop_s - pipeline_s) / turns * 1000


lab.check("01.3", hidden_rtt)
