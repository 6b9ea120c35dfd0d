# refused: the pipeline takes 5.3% near, 4.8% far of the loop's time: it depends, and you said 'holds'
import statistics


def judge_pipeline(rounds):
    held = sum(
        statistics.median(times["pipeline"]) <= 0.09 * statistics.median(times["loop"])
        for times in rounds.values()
    )
    return ("does not hold here", "depends", "holds")[held]


lab.check("14.1", judge_pipeline)
