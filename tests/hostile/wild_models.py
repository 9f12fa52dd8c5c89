"""Random small problems with wild numbers: models, their rows and the commands to run on them. The numbers of a problem follow from
its seed. Rates, lengthscales, noise, scales and spans extend over 12 orders of magnitude and times to 1.7e9. A part of the forces are sums of terms."""
import csv
import json
import random

EXACT = ["dense", "kalman"]
ENGINES = EXACT + ["auto", "lowrank", "fourier", "dtc", "variational", "fitc", "pitc"]
KERNELS = ["eq", "matern12", "matern32", "matern52"]
COMPOSED = 0.15  # share of the forces that are sums of terms


def power(rng, low, high):
    return 10 ** rng.uniform(low, high)


def sign(rng):
    return rng.choice([-1, 1])


def polynomial(roots):
    """The coefficients, highest first, of the polynomial with these roots."""
    coefficients = [1]
    for root in roots:
        coefficients = [a - root * b for a, b in zip(coefficients + [0], [0] + coefficients)]
    return [complex(c).real for c in coefficients]


def equation(rng, rate):
    """The coefficients of an equation of order 1 to 12. Most are stable, with roots of about the given rate."""
    order = rng.choice([1, 2, 3, 3, 4, 5, 6, 8, 10, 12])
    if rng.random() < 0.2:
        return [sign(rng) * power(rng, -6, 6) if rng.random() < 0.9 else 0 for _ in range(order + 1)]
    roots, stable = [], rng.random() < 0.75
    while len(roots) < order:
        real = power(rng, -1, 1) * rate * (-1 if stable or rng.random() < 0.7 else 1)
        if len(roots) + 2 <= order and rng.random() < 0.5:
            imaginary = power(rng, -2, 2) * abs(real)
            roots += [complex(real, imaginary), complex(real, -imaginary)]
        else:
            roots.append(real)
    leading = power(rng, -3, 3)
    return [leading * c for c in polynomial(roots)]


class Problem:
    """One model with rows. `wild`: its numbers do not know of each other; otherwise they fit the span of the inputs, more or less."""

    def __init__(self, seed, index):
        self.rng = rng = random.Random(f"{seed}/{index}")
        self.index = index
        self.terms_rng = random.Random(f"{seed}/{index}/terms")
        self.wild = rng.random() < 0.4
        self.dim = 2 if rng.random() < 0.06 else 1
        self.span = power(rng, -6, 6)
        self.first = 0 if rng.random() < 0.6 else rng.choice([-1, 1]) * power(rng, -6, 6)
        if rng.random() < 0.15:
            self.first, self.span = 1.7e9, power(rng, 0, 7)
        self.inducing = rng.choice([1, 3, 8])
        self.model = self.make_model()
        self.rows = self.make_rows()

    def length(self):
        return power(self.rng, -6, 6) if self.wild else self.span * power(self.rng, -2.5, 1.5)

    def rate(self):
        return power(self.rng, -6, 6) if self.wild else power(self.rng, -2, 3) / self.span

    def force(self):
        plain = {"kernel": self.rng.choice(KERNELS), "lengthscale": self.length()}
        return {"kernel": self.formula()} if self.dim == 1 and self.terms_rng.random() < COMPOSED else plain

    def term(self):
        """One term of a formula with its values."""
        rng = self.terms_rng
        length, period = (power(rng, -8, 8) if self.wild else self.span * power(rng, -2.5, 1.5) for _ in range(2))
        if self.wild and rng.random() < 0.2:
            period = rng.choice([1e-6, 1e9])
        envelope = f"{rng.choice(KERNELS[-3:])}({length!r})"  # eq has many states in a formula, which take their time
        detail = power(rng, -3, 3) if self.wild else power(rng, -0.5, 0.5)
        cycle = f"periodic({period!r}, period_lengthscale={detail!r}, harmonics={rng.choice([1, 2, 4, 4, 6, 20] if self.wild else [1, 2, 4])})"
        return rng.choice([envelope, cycle, f"{cycle}*{envelope}", f"{cycle}*{envelope}", f"cosine({period!r})*{envelope}",
                           f"cosine({period!r})", "constant", f"linear({length!r})"])

    def formula(self):
        rng = self.terms_rng
        count = rng.choice([1, 1, 1, 2, 2, 3])
        if rng.random() < 0.1:
            return "white"
        weight = lambda: f"{power(rng, -12, 12) if self.wild else power(rng, -2, 1)!r}*" if count > 1 else ""
        return " + ".join(weight() + self.term() for _ in range(count))

    def make_operator(self, kind):
        rng = self.rng
        if kind == "ode1":
            return {"type": kind, "decay": self.rate() if rng.random() < 0.9 else 0}
        if kind == "ode2":
            mass, rate = power(rng, -6, 6) if self.wild else power(rng, -2, 2), self.rate()
            damper = 0 if rng.random() < 0.1 else mass * rate * power(rng, -3, 2)
            return {"type": kind, "mass": mass, "damper": damper, "spring": mass * rate * rate}
        if kind == "ode":
            coefficients = equation(rng, self.rate())
            coefficients[0] = coefficients[0] or 1
            return {"type": kind, "coefficients": coefficients}
        return {"type": kind, "precision": self.length() ** -2}

    def make_output(self, name, forces, kind):
        rng = self.rng
        noise = rng.choice([0, power(rng, -14, -8), power(rng, -12, 0), power(rng, -4, 0), power(rng, -2, 6)])
        output = {"name": name, "operator": self.make_operator(kind), "noise_variance": noise,
                  "sensitivity": [sign(rng) * power(rng, -6, 6) if self.wild else rng.gauss(0, 1) for _ in range(forces)],
                  "scale": power(rng, -6, 6) if rng.random() < 0.5 else 1}
        if rng.random() < 0.3:
            output["offset"] = rng.gauss(0, 1) * power(rng, -6, 6)
        if rng.random() < 0.2 or forces == 0:
            output["private"] = self.force() | {"amplitude": power(rng, -6, 6) if self.wild else power(rng, -1, 1)}
        return output

    def make_model(self):
        rng = self.rng
        initial = rng.choice(["zero", "zero", "stationary", "free"])
        kinds = ["gaussian"] if self.dim > 1 or rng.random() < 0.08 else ["ode1", "ode1", "ode2", "ode2", "ode"]
        forces = rng.choice([0, 1, 1, 1, 2, 2, 3])
        model = {"format": "latentforce-model", "version": 1, "initial": initial,
                 "forces": [self.force() for _ in range(forces)],
                 "outputs": [self.make_output(name, forces, rng.choice(kinds)) for name in "abc"[:rng.choice([1, 1, 2, 3])]]}
        if self.dim > 1:
            model["input_dim"] = self.dim
        elif self.first and rng.random() < 0.8:
            model["origin"] = self.first
        elif rng.random() < 0.1:
            model["origin"] = self.first + self.span * rng.uniform(0, 1)
        return model

    def inputs(self):
        rng = self.rng
        x = [self.first + self.span * rng.uniform(0, 1) for _ in range(self.dim)]
        return [rng.choice([round(v, 3), v]) if self.span > 1 else v for v in x]

    def make_rows(self):
        rng, rows = self.rng, []
        size = rng.choice([1, 1, power(rng, -6, 6)])
        even = self.dim == 1 and rng.random() < 0.4
        count = rng.randint(6, 40)
        for i in range(count):
            output = rng.choice(self.model["outputs"])
            x = [self.first + self.span * (i // 2) / (count // 2)] if even else self.inputs()
            rows.append([output["name"]] + x + [output.get("offset", 0) + output["scale"] * size * rng.gauss(0, 1)])
        return rows

    def header(self):
        return ["output"] + (["x"] if self.dim == 1 else [f"x{i + 1}" for i in range(self.dim)])

    def write(self, folder):
        with open(folder / "m.json", "w") as stream:
            json.dump(self.model, stream)
        self.table(folder / "d.csv", self.header() + ["y"], self.rows)
        later = [row[:1] + [v + self.span for v in row[1:-1]] + row[-1:] for row in self.rows[:8]]
        self.table(folder / "later.csv", self.header() + ["y"], later)
        self.table(folder / "later_at.csv", self.header(), [row[:-1] for row in later])
        points = [row[:-1] for row in self.rows[:5]]
        self.table(folder / "at.csv", self.header(), points)
        far = points[:3] + [[self.model["outputs"][0]["name"]] + [self.first + self.span * power(self.rng, -3, 6)] * self.dim
                            for _ in range(3)]
        self.table(folder / "far.csv", self.header(), far)

    @staticmethod
    def table(path, header, rows):
        with open(path, "w", newline="") as stream:
            csv.writer(stream).writerows([header] + rows)

    def commands(self):
        """Each as a list of words; files in the folder of the problem."""
        rng = self.rng
        kind = self.model["outputs"][0]["operator"]
        operator = f"ode:{len(kind['coefficients']) - 1}" if kind["type"] == "ode" else kind["type"]
        yield ["show", "m.json"]
        yield ["show", "m.json", "--json"]
        yield ["covariance", "m.json", "--at", "at.csv"]
        yield ["covariance", "m.json", "--at", "far.csv", "--with-forces"]
        yield ["covariance", "m.json", "--at", "at.csv", "--engine", "features"]
        yield ["simulate", "m.json", "--at", "at.csv", "--seed", "3"]
        yield ["simulate", "m.json", "--at", "far.csv", "--forces", "forces.csv"]
        for engine in ENGINES:
            chosen = ["--engine", engine] + (["--inducing", str(self.inducing)] if engine in ENGINES[5:] else [])
            yield ["evaluate", "m.json", "d.csv", "--json"] + chosen + (["--gradient"] if rng.random() < 0.5 else [])
            where = rng.choice([["--grid", "7"], ["--at", "at.csv"], ["--at", "far.csv"]])
            what = rng.choice([[], ["--samples", "2"], ["--forces"], ["--forces", "--samples", "2"], ["--rates"], ["--json"]])
            yield ["predict", "m.json", "--data", "d.csv"] + where + what + chosen
        for engine in ["auto", rng.choice(ENGINES)]:
            chosen = ["--engine", engine] + (["--inducing", str(self.inducing)] if engine in ENGINES[5:] else [])
            yield ["condition", "m.json", "d.csv", "-o", f"{engine}.json"] + chosen
            yield ["predict", f"{engine}.json", "--at", "far.csv"]
            yield ["score", f"{engine}.json", "later.csv", "--json"]
        yield ["condition", "m.json", "d.csv", "-o", "kalman.json", "--engine", "kalman"]
        yield ["update", "kalman.json", "later.csv", "-o", "updated.json"]
        yield ["predict", "updated.json", "--at", "later_at.csv"]
        yield ["report", "auto.json", "--data", "d.csv", "-o", "page.html"]
        few = ["--max-iterations", "3", "--restarts", "1", "--quiet"]
        yield ["fit", "d.csv", "-o", "fitted.json", "--init", "m.json"] + few
        yield ["fit", "d.csv", "-o", "fitted2.json", "--operator", operator, "--forces", "1", "--force-kernel", rng.choice(KERNELS),
               "--initial", rng.choice(["zero", "stationary", "free"]), "--engine", rng.choice(["auto", "dense", "kalman"])] + few
        yield ["show", "fitted.json"]
        yield ["score", "m.json", "d.csv", "--cross-validate", "2", "--no-refit"]
        yield ["compare", "m.json", "fitted.json", "--data", "d.csv"]
