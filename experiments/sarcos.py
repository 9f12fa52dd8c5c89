# A robot arm: two torques against seven joint positions, a convolved process with random, scrambled and orthogonal frequencies.
from common import fit_and_score, spread, table
from published import SARCOS

NUMBERS = [50, 100, 200]
RULES = ["mc", "qmc", "orthogonal"]
ITERATIONS = 100


def report(settings):
    data = settings.data_file("sarcos_long.csv.gz")
    iterations = settings.iterations or ITERATIONS
    rows = []
    for number in NUMBERS:
        cells, used = [], []
        for rule in RULES:
            fits = [fit_and_score(settings, data, ["--nodes", rule, "--features", str(number), "--copies", "2", "--restarts", "1",
                                                   "--seed", str(seed + 1), "--max-iterations", str(iterations)], "sarcos")
                    for seed in range(settings.seeds)]
            found = [fit["score"]["outputs"]["torque2"] for fit in fits]
            cells.append(f"{spread([f['nmse'] for f in found], 3)} / {spread([f['nlpd'] for f in found])}")
            used += [fit["processor_seconds"] for fit in fits]
            print("sarcos", number, rule, cells[-1], flush=True)
        paper = SARCOS[number]
        rows.append((number, *cells, f"{paper[0]} / {paper[1]}", f"{sum(used) / len(used):.0f}", paper[2]))
    rows += [(number, "", "", "", f"{row[0]} / {row[1]}", "", row[2]) for number, row in SARCOS.items() if number not in NUMBERS]
    return f"""## Robot arm (SARCOS)

The layout of the paper (19 000 rows to learn from, 1000 of the second torque to test), not its draw of rows. `latentforce fit
sarcos_long.csv.gz --nodes RULE --features S --copies 2 --restarts 1 --max-iterations {iterations}`, NMSE / NLPD of torque 2 over {settings.seeds} seed(s). A whole
fit of ours is set beside one evaluation of the paper. S = 500, 1000 and exact: [performance](performance.md).

""" + table(["S", *RULES, "the paper (mc)", "s per fit, ours", "s per evaluation, the paper"], rows)
