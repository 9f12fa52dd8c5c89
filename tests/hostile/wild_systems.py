"""Random small systems of equations with wild numbers, their rows and the commands to run on them, like those of wild_models.py: chains
and cascades, masses and springs, mass matrices, matrices without structure, integrators; undamped, unstable and stiff ones. Constants
extend over 12 orders of magnitude and times to 1e9."""
import csv
import random

from wild_models import KERNELS, power, sign

SHAPES = ["compartments", "network", "masses", "coupled", "matrix", "order", "integrators"]


class System:
    """One file of equations with all values, and rows. `wild`: its numbers do not know of each other."""

    def __init__(self, seed, index):
        self.rng = rng = random.Random(f"system {seed}/{index}")
        self.index = index
        self.wild = rng.random() < 0.4
        self.span = power(rng, 0, 9) if rng.random() < 0.2 else power(rng, -6, 6)
        self.first = 1e9 if rng.random() < 0.08 else 0 if rng.random() < 0.7 else self.span * power(rng, -3, 1)
        self.constants = {}
        self.known = [(name, rng.choice(["linear", "constant", "impulse"])) for name in ["v", "w"][:rng.choice([0, 1, 1, 2])]]
        self.forces = [(name, self.kernel()) for name in ["u", "g"][:rng.choice([0, 1, 1, 1, 2])]]
        self.variables = {}  # name -> order
        self.equations = []
        getattr(self, rng.choice(SHAPES))()
        self.outputs = self.make_outputs()
        self.start = rng.choice(["rest", "steady", "given", "given"])
        self.rows = self.make_rows()

    # ---- values ----
    def rate(self):
        return power(self.rng, -6, 6) if self.wild else power(self.rng, -2, 3) / self.span

    def constant(self, value):
        """A parameter of its own, or the number itself."""
        if self.rng.random() < 0.15:
            return f"({value!r})"
        name = f"p{len(self.constants) + 1}"
        self.constants[name] = value
        return name

    def size(self):
        return power(self.rng, -6, 6) if self.wild else power(self.rng, -1, 1)

    def length(self):
        return power(self.rng, -6, 6) if self.wild else self.span * power(self.rng, -2.5, 1.5)

    def kernel(self):
        if self.rng.random() < 0.3:
            return f"white(sd = {self.size()!r})"
        return f"{self.rng.choice(KERNELS)}(lengthscale = {self.length()!r}, amplitude = {self.size()!r})"

    def drive(self, more=0.3):
        """Terms of inputs and forces: the first equation has all of them, others few."""
        rng, terms = self.rng, []
        for name, _ in self.known + self.forces:
            if rng.random() < more:
                terms.append((f"{self.constant(sign(rng) * self.size())}*" if rng.random() < 0.5 else "") + name)
        return "".join(f" + {t}" for t in terms)

    # ---- structures ----
    def compartments(self):
        n = self.rng.choice([1, 2, 3, 6])
        for i in range(n):
            self.variables[f"x{i}"] = 1
            before = f" + {self.constant(self.rate())}*x{i - 1}" if i else ""
            self.equations.append(f"x{i}' = -{self.constant(self.rate())}*x{i}{before}{self.drive(0.2 if i else 1)}")

    def network(self):
        n = self.rng.choice([2, 3, 5])
        for i in range(n):
            self.variables[f"x{i}"] = 1
            capacity, resistance = self.constant(power(self.rng, -2, 2)), self.constant(1 / self.rate())
            self.equations.append(f"{capacity}*x{i}' = (x{(i + 1) % n} - x{i})/{resistance}{self.drive(0.2 if i else 1)}")
        leak = self.constant(1 / self.rate())
        self.equations[0] += f" - x0/{leak}"

    def masses(self):
        n = self.rng.choice([1, 2, 4])
        damped = self.rng.random() < 0.7
        for i in range(n):
            self.variables[f"x{i}"] = 2
            rate = self.rate()
            spring, mass = self.constant(rate * rate), self.constant(power(self.rng, -1, 1))
            damper = f" - {self.constant(power(self.rng, -4, 1) * rate)}*x{i}'" if damped else ""
            left = f" + {spring}*x{i - 1}" if i else ""
            self.equations.append(f"{mass}*x{i}'' = -{spring}*x{i}{left}{damper}{self.drive(0.2 if i else 1)}")

    def coupled(self):
        """The highest derivatives are coupled, now and then nearly dependent."""
        self.variables = {"x0": 2, "x1": self.rng.choice([1, 2])}
        top = "'" * self.variables["x1"]
        near = 1 + power(self.rng, -5, 1)
        rate = self.rate()
        self.equations = [f"x0'' + x1{top} = -{self.constant(rate)}*x0' - {self.constant(rate * rate)}*x0{self.drive(1)}",
                          f"x0'' + {self.constant(near)}*x1{top} = -{self.constant(rate)}*x1 + {self.constant(rate)}*x0{self.drive(0.2)}"]

    def matrix(self):
        n = self.rng.choice([2, 3, 5])
        rate, shift = self.rate(), self.rng.choice([0, 1, 3])
        for i in range(n):
            self.variables[f"x{i}"] = 1
            terms = " + ".join(f"{self.constant(rate * (self.rng.gauss(0, 1) - (i == j) * shift))}*x{j}" for j in range(n))
            self.equations.append(f"x{i}' = {terms}{self.drive(0.3 if i else 1)}")

    def order(self):
        n, rate = self.rng.choice([2, 3, 4, 6]), self.rate()
        self.variables["x0"] = n
        binomial, terms = 1, ""
        for k in range(n):
            factor = binomial * rate ** (n - k) * (power(self.rng, -0.5, 0.5) if self.rng.random() < 0.7 else sign(self.rng))
            terms += f" - {self.constant(factor)}*x0{chr(39) * k}"
            binomial = binomial * (n - k) // (k + 1)
        self.equations.append(f"x0{chr(39) * n} ={terms}{self.drive(1)}")

    def integrators(self):
        self.variables = {"x0": 1, "x1": self.rng.choice([1, 2])}
        self.equations = [f"x0' = 0*x1{self.drive(1)}",
                          f"x1{chr(39) * self.variables['x1']} = {self.constant(self.rate())}*x0{self.drive(0.2)}"]

    def make_outputs(self):
        """Name, expression, noise."""
        rng, outputs = self.rng, []
        for name in "abc"[:rng.choice([1, 1, 2, 3])]:
            variable = rng.choice(sorted(self.variables))
            order = self.variables[variable]
            rough = any(kind.startswith(("white", "impulse")) for _, kind in self.forces + self.known)  # they have no value at an instant
            primes = rng.randint(0, order - rough) if rng.random() < 0.3 else 0
            text = variable + "'" * primes
            smooth = [f for f, kernel in self.forces if not kernel.startswith("white")]
            held = [f for f, hold in self.known if hold != "impulse"]
            if rng.random() < 0.2:
                text += f" + {self.constant(self.size())}*{rng.choice(sorted(self.variables) + smooth + held)}"
            if rng.random() < 0.15:
                text = f"average({text}, {self.span * power(rng, -4, -0.3)!r})"
            noise = rng.choice([power(rng, -7, -4), power(rng, -6, 0), power(rng, -2, 0), power(rng, -1, 3)])
            outputs.append((name, text, noise))
        return outputs

    def states(self):
        return [name + "'" * k for name, order in self.variables.items() for k in range(order)]

    def text(self, values=True):
        """The file of equations, with all values or with none."""
        rng, lines = random.Random(self.index), []
        lines += [f"input {name} {hold}" for name, hold in self.known]
        lines += [f"force {name} ~ {kernel if values else kernel.split('(')[0]}" for name, kernel in self.forces]
        lines += self.equations
        lines += [f"output {name} = {text}" + (f" noise = {noise!r}" if values else "") for name, text, noise in self.outputs]
        for name, value in self.constants.items():
            kind = " real" if value <= 0 else ""
            lines.append(f"parameter {name} = {value!r}{kind}" if values else f"parameter {name}{kind}")
        if self.constants:
            lines.append("quantity q = " + " + ".join(f"1/{name}" for name in list(self.constants)[:2]))
        if self.start == "given":
            lines += [f"start {name} ~ normal({self.size() * rng.choice([0, 1])!r}, {self.size()!r})" for name in self.states()] if values else []
        else:
            lines.append(f"start {self.start}")
        return "\n".join(lines) + "\n"

    # ---- rows: replicate, output, x, y, width ----
    def make_rows(self):
        rng, rows = self.rng, []
        size, even, count = rng.choice([1, 1, power(rng, -6, 6)]), rng.random() < 0.4, rng.randint(6, 40)
        widest = self.first + self.span if any("average" in text for _, text, _ in self.outputs) else 0
        self.last = widest + self.first + self.span
        self.replicates = rng.choice([[""], [""], [""], ["r", "s"]])
        widths = rng.random() < 0.15
        for replicate in self.replicates:
            for i in range(count):
                x = widest + self.first + self.span * ((i // 2) / max(1, count // 2) if even else rng.uniform(0, 1))
                width = self.span * power(rng, -3, 0) if widths and rng.random() < 0.3 else None
                rows.append([replicate, rng.choice(self.outputs)[0], x, size * rng.gauss(0, 1), width if width and width < x else None])
            for name, hold in self.known:
                times = [self.last * rng.uniform(0, 1) for _ in range(rng.choice([1, 3, 12]))]
                times += [] if hold == "impulse" else [0, 3 * self.last, self.last * 1e4]
                rows += [[replicate, name, x, size * rng.gauss(0, 1), None] for x in sorted(times)]
        return rows

    def table(self, path, header, rows):
        """Columns without any value are left out."""
        keep = [k for k in range(len(header)) if header[k] in ("output", "x", "y") or any(row[k] not in (None, "") for row in rows)]
        with open(path, "w", newline="") as stream:
            csv.writer(stream).writerows([[row[k] if row[k] is not None else "" for k in keep] for row in [header] + rows])

    def write(self, folder):
        (folder / "m.eq").write_text(self.text())
        (folder / "free.eq").write_text(self.text(values=False))
        header = ["replicate", "output", "x", "y", "width"]
        self.table(folder / "d.csv", header, self.rows)
        read = [row for row in self.rows if len(row[1]) == 1 and row[1] in "abc"]
        later = [row[:2] + [row[2] + self.span] + row[3:4] + [None] for row in read[:8]]
        self.table(folder / "later.csv", header, [row for row in later if row[2] > self.last])
        points = [row[:3] for row in read[:5]]
        self.table(folder / "at.csv", header[:3], points)
        far = points[:3] + [[self.replicates[0], self.outputs[0][0], self.last * power(self.rng, 0, 4)] for _ in range(3)]
        self.table(folder / "far.csv", header[:3], far)
        times = sorted({0.0} | {row[2] for row in read})
        names = [name for name, _ in self.known]
        draws = [[t] + [self.rng.gauss(0, 1) if hold != "impulse" or self.rng.random() < 0.2 else None for _, hold in self.known]
                 for t in times]
        draws[0] = [0.0] + [self.rng.gauss(0, 1) for _ in self.known]
        averages = any("average" in text for _, text, _ in self.outputs)
        with open(folder / "sim.csv", "w", newline="") as stream:
            csv.writer(stream).writerows([["x"] + names] + [["" if c is None else c for c in row] for row in draws[averages:]])

    def commands(self):
        """Each as a list of words; files in the folder of the problem."""
        rng = self.rng
        yield ["show", "m.eq"]
        yield ["show", "m.eq", "--json"]
        yield ["show", "m.eq", "--state-space", "--json"]
        yield ["show", "m.eq", "--state-space", "--json", "--step", repr(self.span * power(rng, -3, 1))]
        if len(self.replicates) == 1:
            yield ["covariance", "m.eq", "--at", "at.csv"]
            yield ["covariance", "m.eq", "--at", "far.csv", "--with-forces"]
            yield ["covariance", "m.eq", "--at", "at.csv", "--engine", "dense"]
        yield ["simulate", "m.eq", "--at", "sim.csv", "--seed", "3"]
        yield ["simulate", "m.eq", "--at", "sim.csv", "--forces", "forces.csv"]
        for engine in ["dense", "kalman"]:
            chosen = ["--engine", engine]
            yield ["evaluate", "m.eq", "d.csv", "--json"] + chosen + (["--gradient"] if rng.random() < 0.5 else [])
            for what in [[], ["--states"], ["--forces"], ["--rates"], ["--samples", "2"], ["--states", "--samples", "2"], ["--json"]]:
                if rng.random() < (0.3 if engine == "dense" else 0.7):
                    where = rng.choice([["--grid", "7"], ["--at", "at.csv"], ["--at", "far.csv"]])
                    yield ["predict", "m.eq", "--data", "d.csv"] + where + what + chosen
        yield ["condition", "m.eq", "d.csv", "-o", "auto.json"]
        yield ["predict", "auto.json", "--at", "far.csv"] + rng.choice([[], ["--states"], ["--rates"]])
        yield ["score", "auto.json", "later.csv", "--json"]
        yield ["update", "auto.json", "later.csv", "-o", "updated.json"]
        yield ["predict", "updated.json", "--grid", "5", "--states"]
        yield ["show", "updated.json", "--json"]
        yield ["report", "auto.json", "--data", "d.csv", "-o", "page.html"]
        few = ["--max-iterations", "3", "--restarts", "1", "--quiet"]
        yield ["fit", "d.csv", "--equations", "m.eq", "-o", "fitted.json"] + few
        yield ["fit", "d.csv", "--equations", "free.eq", "-o", "fitted2.json"] + few
        yield ["show", "fitted.json"]
        yield ["show", "fitted2.json", "--json"]
        yield ["score", "m.eq", "d.csv", "--cross-validate", "2", "--no-refit"]
        yield ["compare", "m.eq", "fitted.json", "--data", "d.csv"]
