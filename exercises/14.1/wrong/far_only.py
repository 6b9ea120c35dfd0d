# refused: 20% near, 2% far of the loop's time: it depends, and you said 'holds'
def judge_pipeline(rounds):
    far = rounds["far"]
    return "holds" if min(far["pipeline"]) <= 0.05 * min(far["loop"]) else "does not hold here"


lab.check("14.1", judge_pipeline)
