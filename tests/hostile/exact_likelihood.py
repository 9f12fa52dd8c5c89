"""The log likelihood of rows under a model in extended precision, to tell which engine is right where two differ. For one input,
differential equations and Matern forces. Independent of the library: Python's decimal numbers, the covariance matrix of the rows
from the stochastic differential equation of forces and outputs, and its Cholesky factor.

usage: exact_likelihood.py MODEL DATA [DIGITS]"""
import csv
import decimal
import json
import math
import sys
from decimal import Decimal

ZERO, ONE = Decimal(0), Decimal(1)
HALVES = {"matern12": 1, "matern32": 3, "matern52": 5}  # twice the smoothness


def multiply(A, B):
    rows = [[(k, b) for k, b in enumerate(row) if b] for row in B]
    C = [[ZERO] * len(B[0]) for _ in A]
    for result, a_row in zip(C, A):
        for a, row in zip(a_row, rows):
            if a:
                for k, b in row:
                    result[k] += a * b
    return C


def transpose(A):
    return [list(column) for column in zip(*A)]


def add(A, B, factor=ONE):
    return [[a + factor * b for a, b in zip(x, y)] for x, y in zip(A, B)]


def zeros(n):
    return [[ZERO] * n for _ in range(n)]


def identity(n):
    return [[ONE if i == j else ZERO for j in range(n)] for i in range(n)]


def transition(F, W, gap, forever=False):
    """exp(F gap) and the covariance of the noise of the gap; forever: doubled until nothing of the beginning is left."""
    n = len(F)
    norm = max(sum(map(abs, row)) for row in F)
    doublings = 0
    while norm * gap > Decimal("0.01"):
        gap, doublings = gap / 2, doublings + 1
    A, Q, a, q, k = identity(n), zeros(n), identity(n), [[w * gap for w in row] for row in W], 0
    smallest = Decimal(10) ** -(decimal.getcontext().prec + 10)
    while k < 3 or gap * norm > 0 and (norm * gap) ** k / math.factorial(min(k, 150)) > smallest:
        k += 1
        Q = add(Q, q)
        a = [[v * gap / k for v in row] for row in multiply(F, a)]
        Fq = multiply(F, q)
        q = [[v * gap / (k + 1) for v in row] for row in add(Fq, transpose(Fq))]
        A = add(A, a)
    while doublings > 0 or forever:
        Q, A, doublings = add(Q, multiply(multiply(A, Q), transpose(A))), multiply(A, A), doublings - 1
        if forever and doublings <= 0 and max(abs(v) for row in A for v in row) < smallest ** 3:
            break
    return A, Q


def companion(F, first, coefficients):
    """Writes x^(P) = -(c_1 x^(P-1) + … + c_P x) at the states from `first` on."""
    P = len(coefficients)
    for k in range(P - 1):
        F[first + k][first + k + 1] = ONE
    for k in range(P):
        F[first + P - 1][first + k] = -coefficients[P - 1 - k]


def coefficients_of(operator):
    if operator["type"] == "ode1":
        return [1, operator["decay"]]
    if operator["type"] == "ode2":
        return [operator["mass"], operator["damper"], operator["spring"]]
    return operator["coefficients"]


class System:
    def __init__(self, model):
        self.model, outputs = model, model["outputs"]
        forces = [(force, None) for force in model["forces"]] + [(o["private"], d) for d, o in enumerate(outputs) if "private" in o]
        sizes = [(HALVES[force["kernel"]] + 1) // 2 for force, _ in forces]
        self.force_states = sum(sizes)
        orders = [len(coefficients_of(o["operator"])) - 1 for o in outputs]
        n = self.force_states + sum(orders)
        self.F, self.W, self.first = zeros(n), zeros(n), {}
        starts = [self.force_states + sum(orders[:d]) for d in range(len(outputs))]
        for d, (output, start) in enumerate(zip(outputs, starts)):
            a = [Decimal(v) for v in coefficients_of(output["operator"])]
            companion(self.F, start, [v / a[0] for v in a[1:]])
            self.first[output["name"]] = start
        at = 0
        for q, ((force, owner), size) in enumerate(zip(forces, sizes)):
            rate = Decimal(HALVES[force["kernel"]]).sqrt() / Decimal(force["lengthscale"])
            companion(self.F, at, [math.comb(size, k) * rate**k for k in range(1, size + 1)])
            self.W[at + size - 1][at + size - 1] = [2 * rate, 4 * rate**3, Decimal(16) / 3 * rate**5][size - 1]
            for d, (output, start, order) in enumerate(zip(outputs, starts, orders)):
                gain = output["sensitivity"][q] if owner is None else force["amplitude"] if owner == d else 0
                a0 = Decimal(coefficients_of(output["operator"])[0])
                self.F[start + order - 1][at] = Decimal(gain) / a0
            at += size
        self.P = self.start(n, outputs, starts, orders)

    def start(self, n, outputs, starts, orders):
        if self.model.get("initial") == "stationary":
            return transition(self.F, self.W, ONE, forever=True)[1]
        m, P = self.force_states, zeros(n)
        if m:
            block = transition([row[:m] for row in self.F[:m]], [row[:m] for row in self.W[:m]], ONE, forever=True)[1]
            for i in range(m):
                P[i][:m] = block[i]
        if self.model.get("initial") == "free":
            for output, start, order in zip(outputs, starts, orders):
                for k in range(order):
                    P[start + k][start + k] = Decimal(output.get("initial_variance", [1] * order)[k])
        return P


def covariance(system, rows):
    """K of rows (output, time), in order of time, without noise."""
    origin = Decimal(system.model.get("origin", 0))
    stationary = system.model.get("initial") == "stationary"
    now = rows[0][1] if stationary else min(origin, rows[0][1])
    if now < origin and not stationary:
        raise ValueError("a row before the origin")
    P, columns, K, cache = system.P, [], [], {}
    for name, time in rows:
        gap, state = time - now, system.first[name]
        if gap:
            if gap not in cache:
                cache[gap] = transition(system.F, system.W, gap)
            A, Q = cache[gap]
            P = add(multiply(multiply(A, P), transpose(A)), Q)
            columns = transpose(multiply(A, transpose(columns))) if columns else []
            now = time
        columns.append([row[state] for row in P])
        K.append([column[state] for column in columns])
    return K


def log_likelihood(model, rows):
    outputs = {output["name"]: output for output in model["outputs"]}
    rows = sorted((Decimal(x), name, Decimal(y)) for name, x, y in rows)
    K = covariance(System(model), [(name, x) for x, name, y in rows])
    n, total = len(rows), ZERO
    z = []
    for i, (x, name, y) in enumerate(rows):
        output = outputs[name]
        K[i][i] += Decimal(output["noise_variance"])
        z.append((y - Decimal(output.get("offset", 0))) / Decimal(output.get("scale", 1)))
    for i in range(n):
        for j in range(i + 1):
            value = K[i][j] - sum((a * b for a, b in zip(K[i][:j], K[j][:j])), ZERO)
            K[i][j] = value.sqrt() if i == j else value / K[j][j]
        z[i] = (z[i] - sum((a * b for a, b in zip(K[i][:i], z)), ZERO)) / K[i][i]
        total -= z[i] * z[i] / 2 + K[i][i].ln()
    return total - n * Decimal(2 * math.pi).ln() / 2


def main():
    with open(sys.argv[1]) as stream:
        model = json.load(stream)
    with open(sys.argv[2], newline="") as stream:
        rows = [(row["output"], float(row["x"]), float(row["y"])) for row in csv.DictReader(stream)]
    decimal.getcontext().prec = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    print(f"{log_likelihood(model, rows):.20g}")


if __name__ == "__main__":
    main()
