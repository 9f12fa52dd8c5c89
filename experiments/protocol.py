# The paper's protocol as the authors' code has it: the model each fit starts from, and the options of the fit.
import collections
import math
import random
import statistics

from published import EXACT

FORCES = 6
ITERATIONS = 500
# What the sets differ in: the operator, inducing values for each force, and whether readings are taken relative to the first one
# in units of their standard deviation (of training rows; theirs is of all).
SETS = {"weather": ("ode1", 200, False), "golf": ("ode2", 25, True), "walk": ("ode2", 25, True)}


def spaced(low, high, number):
    return [low + (high - low) * k / (number - 1) for k in range(number)]


def start(name, rows, kernel, seed):
    """The model a fit starts from: lengthscales, dampers and springs are drawn, all else is fixed. rows: as read_rows has them."""
    operator, inducing, scaled = SETS[name]
    draw = random.Random(seed)
    series = collections.defaultdict(list)
    for output, x, y, split in rows:
        if split == "train":
            series[output].append((float(x), float(y)))
    first = [x for x, _ in next(iter(series.values()))]
    places = spaced(min(first), max(first), inducing)

    def lengthscale():
        if operator == "ode2":
            return 0.5 + draw.random()
        return abs(1 + 0.5 * draw.gauss(0, 1)) * (math.sqrt(2) if kernel == EXACT else 1)

    def constants():
        return {"type": "ode1", "decay": 1} if operator == "ode1" else {
            "type": "ode2", "mass": 1, "damper": draw.random(), "spring": draw.random()}

    forces = [{"kernel": "eq", "lengthscale": lengthscale(), "inducing_noise": math.exp(-2), "inducing": places} for _ in range(FORCES)]
    outputs = [{"name": output, "operator": constants(), "sensitivity": [1] * FORCES, "noise_variance": 100,
                "offset": min(readings)[1] if scaled else 0,
                "scale": statistics.pstdev(y for _, y in readings) if scaled else 1} for output, readings in series.items()]
    fixed = [f"{output}.mass" for output in series] if operator == "ode2" else []
    return {"format": "latentforce-model", "version": 1, "origin": 0, "initial": "zero", "forces": forces, "outputs": outputs,
            "parameters": {"fixed": fixed}}


def options(model, kernel, seed, iterations):
    """Of the fit that starts from the file `model`."""
    nodes = ["--nodes", "exact"] if kernel == EXACT else ["--nodes", "mc", "--features", str(kernel), "--seed", str(seed)]
    return ["--init", model, "--engine", "variational", *nodes, "--prior", "none", "--restarts", "1",
            "--max-iterations", str(iterations or ITERATIONS)]
