# refused: for 20 turns you found
def hidden_rtt(turns, loop_s, pipeline_s):
    return (loop_s - pipeline_s) / 99 * 1000


lab.check("01.3", hidden_rtt)
