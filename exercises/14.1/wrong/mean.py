# refused: one round of the loop stalled
import statistics


def judge_pipeline(rounds):
    held = sum(
        statistics.mean(times["pipeline"]) <= 0.05 * statistics.mean(times["loop"])
        for times in rounds.values()
    )
    return ("does not hold here", "depends", "holds")[held]


lab.check("14.1", judge_pipeline)
