import statistics


def judge_pipeline(rounds):
    held = 0
    for times in rounds.values():
        held += statistics.median(times["pipeline"]) <= 0.05 * statistics.median(times["loop"])
    return ("does not hold here", "depends", "holds")[held]


lab.check("14.1", judge_pipeline)
