# A robot arm: two torques against seven joint positions, a convolved process with random, scrambled and orthogonal frequencies.
import json

from common import fit_and_score, kept, run, seconds_of_evaluation, spread, table
from published import EXACT, SARCOS

RULES = ["mc", "qmc", "orthogonal"]
# Number of frequencies: copies of the force, seeds at most, rules.
FITS = {50: (2, 5, RULES), 100: (2, 3, RULES), 200: (2, 2, RULES), 500: (1, 1, RULES), 1000: (1, 1, ["qmc"])}
ITERATIONS = 100
TESTED = "torque2"


def scores(found):
    return f"{spread([f['nmse'] for f in found], 3)} / {spread([f['nlpd'] for f in found])}"


def exact(settings, data, fit):
    """Scores of the exact covariance at the parameters of a fit: no optimisation, one factorisation of all rows."""
    model = settings.path("sarcos", EXACT + ".model.json")

    def compute():
        run(settings, "condition", fit["model"], data, "--engine", "dense", "--threads", settings.threads, "-o", model)
        return json.loads(run(settings, "score", model, data, "--json"))

    return kept(settings.path("sarcos", EXACT + ".json"), compute)


def report(settings):
    data = settings.data_file("sarcos_long.csv.gz")
    iterations = settings.iterations or ITERATIONS
    rows, last = [], None
    for number, (copies, seeds, rules) in FITS.items():
        cells, seeds = dict.fromkeys(RULES, ""), min(seeds, settings.seeds)
        for rule in rules:
            fits = [fit_and_score(settings, data, ["--nodes", rule, "--features", str(number), "--copies", str(copies), "--restarts", "1",
                                                   "--seed", str(seed + 1), "--max-iterations", str(iterations)], "sarcos")
                    for seed in range(seeds)]
            cells[rule] = scores([fit["score"]["outputs"][TESTED] for fit in fits])
            last = fits[0]
            print("sarcos", number, rule, cells[rule], flush=True)
        paper, evaluation = SARCOS[number], seconds_of_evaluation(settings, data, last)
        rows.append((number, evaluation["columns"], seeds, *cells.values(), f"{paper[0]} / {paper[1]}", f"{evaluation['seconds']:.2f}", paper[2]))
    paper = SARCOS[EXACT]
    found = scores([exact(settings, data, last)["outputs"][TESTED]])
    rows.append((EXACT, "", "", found, "", "", f"{paper[0]} / {paper[1]}", "", paper[2]))
    return f"""## Robot arm (SARCOS)

The layout is that of the paper (19 000 training rows, 1000 test rows of the second torque); the draw of rows is another.
The command is `latentforce fit sarcos_long.csv.gz --nodes RULE --features S --copies R --restarts 1
--max-iterations {iterations} --seed 1, 2, …`, with R = 2 up to S = 200 and R = 1 above. The columns show NMSE / NLPD of torque 2,
mean ± standard deviation over the seeds. Seconds are processor seconds of one objective and gradient on one thread. The
exact covariance is evaluated at the fitted parameters of the row above it.

""" + table(["S", "M", "seeds", *RULES, "the paper (mc)", "s per evaluation, ours", "the paper"], rows)
