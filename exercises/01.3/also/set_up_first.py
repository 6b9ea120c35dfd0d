def hidden_rtt(turns, loop_s, pipeline_s):
    set_up_s = (turns * pipeline_s - loop_s) / (turns - 1)
    return 1000 * (pipeline_s - set_up_s)


lab.check("01.3", hidden_rtt)
