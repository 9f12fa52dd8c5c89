# Tables of the comparison of defaults: mean scores of each program, and differences to the first program, draw by draw.
import collections
import math
import statistics

from common import table

NOTE = """Each line has the means over draws; a draw counts once, with the mean over its outputs. Error: mean squared error of the rows held out
over the variance of all readings of the output in the piece, training rows and rows held out. NLPD: mean negative log density of a
reading, noise included, in units of the standard deviation of these readings. Cover: share of rows within 95 % intervals. Worst: the largest
|reading − mean| in standard deviations, over all draws. Seconds: processor seconds of a fit on one thread. Differences are to the
first program, draw by draw, ± their standard error; negative is better. Won: draws with the smaller error.
"""


def title(result):
    return f"{result['set']} {result['draw']} {result['task']}" + (f", {result['alone']} alone" if result["alone"] else "")


def mean(scores, key):
    return statistics.fmean(score[key] for score in scores)


def difference(values):
    """Mean and standard error."""
    text = f"{statistics.fmean(values):+.3f}"
    return text if len(values) < 2 else f"{text} ± {statistics.stdev(values) / math.sqrt(len(values)):.3f}"


def by_line(results):
    """{(set, task): {draw: {program: result with the scores of the task}}}; joint fits that succeeded."""
    lines = collections.defaultdict(lambda: collections.defaultdict(dict))
    for result in results:
        if not result["alone"] and "failed" not in result:
            for task, scores in result["scores"].items():
                draw = {key: mean(scores.values(), key) for key in ("mse", "nlpd", "coverage")}
                draw.update(worst=max(score["worst"] for score in scores.values()), seconds=result["seconds"])
                lines[result["set"], task][result["draw"]][result["name"]] = draw
    return lines


def cells(draws):
    return [f"{mean(draws, 'mse'):.3f}", f"{mean(draws, 'nlpd'):.3f}", f"{100 * mean(draws, 'coverage'):.0f} %",
            f"{max(draw['worst'] for draw in draws):.1f}", f"{mean(draws, 'seconds'):.1f}"]


def comparison(lines, names):
    rows, worse = [], []
    for (name, task), draws in lines.items():
        both = [draw for _, draw in sorted(draws.items()) if len(draw) == len(names)]
        for program in names if both else []:
            row = [name, task, len(both), program, *cells([draw[program] for draw in both])]
            if program == names[0]:
                row += ["", "", ""] if len(names) > 1 else []
            else:
                change = {key: [draw[program][key] - draw[names[0]][key] for draw in both] for key in ("mse", "nlpd")}
                row += [difference(change["mse"]), difference(change["nlpd"]), f"{sum(d < 0 for d in change['mse'])} of {sum(d != 0 for d in change['mse'])}"]
                worse += [f"{program}: {name}, {task}: {label} {difference(values)}" for label, values in (("error", change["mse"]), ("NLPD", change["nlpd"]))
                          if len(values) > 1 and statistics.fmean(values) > 2 * statistics.stdev(values) / math.sqrt(len(values)) > 0]
            rows.append(row)
    header = ["set", "task", "draws", "program", "error", "NLPD", "cover", "worst", "seconds", "error: difference", "NLPD: difference", "won"]
    text = table(header if len(names) > 1 else header[:-3], rows)
    if len(names) > 1:
        text += "\nWorse than the first program by more than two standard errors: " + ("; ".join(worse) or "none") + ".\n"
    return text


def against_alone(results, names):
    """Joint fits against fits of each output alone. An output that has nothing to do with the others has a line of its own."""
    scores = collections.defaultdict(dict)
    for result in results:
        if "failed" not in result:
            for task, outputs in result["scores"].items():
                for output, score in outputs.items():
                    label = result["set"] + (": the unrelated output" if output in result["always"] else ": the others" if result["always"] else "")
                    scores[label, task, result["name"]].setdefault((result["draw"], output), {})["alone" if result["alone"] else "joint"] = score
    rows = []
    for (name, task, program), found in sorted(scores.items(), key=lambda item: item[0][0]):
        draws = collections.defaultdict(list)
        for (draw, _), pair in found.items():
            if len(pair) == 2:
                draws[draw].append(pair)
        pairs = [pair for draw in draws.values() for pair in draw]
        if not pairs:
            continue
        ratios = [statistics.fmean(math.log(pair["joint"]["mse"] / pair["alone"]["mse"]) for pair in draw) for draw in draws.values()]
        changes = [statistics.fmean(pair["joint"]["nlpd"] - pair["alone"]["nlpd"] for pair in draw) for draw in draws.values()]
        middle, error = statistics.fmean(ratios), statistics.stdev(ratios) / math.sqrt(len(ratios)) if len(ratios) > 1 else 0
        joint, alone = (mean([pair[kind] for pair in pairs], "mse") for kind in ("joint", "alone"))
        rows.append([name, task, len(draws), len(pairs), program, f"{joint:.3f}", f"{alone:.3f}", f"{joint / alone:.2f}",
                     f"{math.exp(middle):.2f} ({math.exp(middle - error):.2f} to {math.exp(middle + error):.2f})", difference(changes)])
    return "\n## Joint fits and fits of each output alone\n\n" + table(
        ["set", "task", "draws", "outputs", "program", "error: joint", "alone", "ratio of the means", "geometric mean of the ratios (± one standard error)", "NLPD: joint less alone"], rows)


def report(results, names):
    text = "## Defaults: pieces of real sets and simulated sets\n\n" + NOTE + "\n" + comparison(by_line(results), names)
    if any(result["alone"] for result in results):
        text += against_alone(results, names)
    failed = [f"* {result['name']}: {title(result)}: {result['failed']}" for result in results if "failed" in result]
    return text + ("\nFits that failed; their draws are left out for every program:\n\n" + "\n".join(failed) if failed else "\nNo fit failed.")
