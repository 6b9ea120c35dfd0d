def judge_pipeline(rounds):
    held = [min(times["pipeline"]) <= 0.05 * min(times["loop"]) for times in rounds.values()]
    return "holds" if all(held) else "depends" if any(held) else "does not hold here"


lab.check("14.1", judge_pipeline)
