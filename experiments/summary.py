# The scores of the defaults against the targets, column by column, and the coverage of their intervals, from the files that the
# experiments wrote.
import glob
import json

from common import table
from published import TARGETS


def load(settings, pattern):
    for path in sorted(glob.glob(settings.path("ours", pattern))):
        with open(path) as file:
            yield path, json.load(file)


def verdict(found, wanted):
    reached = [name for name, ours, theirs in zip(("NMSE", "NLPD"), found, wanted) if ours <= theirs]
    return "both" if len(reached) == 2 else reached[0] if reached else "no"


def coverage(scores):
    rows = sum(score["n"] for score in scores)
    return f"{100 * sum(score['coverage95'] * score['n'] for score in scores) / rows:.1f} % of {rows}"


def report(settings):
    lines, tested, windows = [], [], []
    for name, wanted in TARGETS.items():
        for _, scores in load(settings, name + ".json"):
            for k, (output, score) in enumerate(scores.items()):
                target, found = wanted[2 * k:2 * k + 2], (score["nmse"], score["nlpd"])
                lines.append((f"{name}: {output}", *target, f"{found[0]:.3f}", f"{found[1]:.2f}", verdict(found, target),
                              f"{100 * score['coverage95']:.0f} %"))
                tested.append(score)
    for _, scores in load(settings, "windows-*.json"):
        windows += scores
    if not lines:
        return ""
    pooled = f"95 % intervals cover {coverage(tested)} test rows"
    pooled += f" and {coverage(windows)} rows of the windows cut from training rows." if windows else "."
    return f"""## Summary

`latentforce fit DATA` without options, and the targets: the best figure of the paper or of the authors' code.

{table(["data: output", "target NMSE", "target NLPD", "ours: NMSE", "NLPD", "reached", "cover"], lines)}
{pooled}
"""
