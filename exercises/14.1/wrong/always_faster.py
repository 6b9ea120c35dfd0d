# refused: it depends, and you said 'holds'
def judge_pipeline(rounds):
    faster = [min(times["pipeline"]) < min(times["loop"]) for times in rounds.values()]
    return "holds" if all(faster) else "depends" if any(faster) else "does not hold here"


lab.check("14.1", judge_pipeline)
