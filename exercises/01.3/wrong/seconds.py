# refused: That is in seconds, and the answer is in milliseconds
def hidden_rtt(turns, loop_s, pipeline_s):
    return (loop_s - pipeline_s) / (turns - 1)


lab.check("01.3", hidden_rtt)
