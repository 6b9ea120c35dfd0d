# refused: stalled
def judge_pipeline(rounds):
    held = sum(times["pipeline"][0] <= 0.05 * times["loop"][0] for times in rounds.values())
    return ("does not hold here", "depends", "holds")[held]


lab.check("14.1", judge_pipeline)
