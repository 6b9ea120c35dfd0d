def hidden_rtt(turns, loop_s, pipeline_s):
    return (loop_s - pipeline_s) / (turns - 1) * 1000


lab.check("01.3", hidden_rtt)
