# Simulated sets for the comparison of defaults, one function for each kind: cycles, random walks, trends, outputs with nothing or
# everything in common, maps. They are drawn here and not by the program, so that two programs see the same rows and no
# program is compared on draws of its own models only.
import math


class Piece:
    """Rows of one draw of a set: (output, inputs, y). Training rows lie before `end` in the first input; the rows after it are for
    forecasts. Horizons: {name: length}. `unit`: the unit of time of numbers, if they have one. `always`: outputs that lose windows."""

    def __init__(self, rows, end, horizons, unit=None, always=()):
        self.rows, self.end, self.horizons, self.unit, self.always = rows, end, horizons, unit, always


DAYS = {"2 days": 2.0, "5 days": 5.0}
SHARES = {"5 %": 0.05, "12 %": 0.12}


def shares(span):
    """Horizons of a set whose unit is not the day, as shares of its span."""
    return {name: share * span for name, share in SHARES.items()}


def rough(draw, n, timescale):
    """A stationary Ornstein-Uhlenbeck process (Matérn 1/2) of variance 1; the timescale is in steps."""
    keep = math.exp(-1 / timescale)
    values = [draw.gauss(0, 1)]
    for _ in range(n - 1):
        values.append(keep * values[-1] + math.sqrt(1 - keep * keep) * draw.gauss(0, 1))
    return values


def response(force, timescale):
    """The response of a first-order equation with gain 1."""
    keep, values = math.exp(-1 / timescale), [force[0]]
    for u in force[1:]:
        values.append(keep * values[-1] + (1 - keep) * u)
    return values


def standard(values):
    mean = sum(values) / len(values)
    sd = math.sqrt(sum((y - mean) ** 2 for y in values) / len(values))
    return [(y - mean) / sd for y in values]


def smooth(draw, n, timescale):
    """A differentiable process (Matérn 3/2) of unit variance over the set."""
    start = int(5 * timescale)
    return standard(response(rough(draw, n + start, timescale), timescale)[start:])


def log_uniform(draw, low, high):
    return low * (high / low) ** draw.random()


def total(*parts):
    """Sum of weighted series: (weight, values), ..."""
    return [sum(weight * values[i] for weight, values in parts) for i in range(len(parts[0][1]))]


def noise(draw, n):
    return [draw.gauss(0, 1) for _ in range(n)]


def rows_of(series, step=1.0):
    return [(f"y{d + 1}", (i * step,), y) for d, values in enumerate(series) for i, y in enumerate(values)]


def without_days(series, always=()):
    """The last 12 % of the span are for forecasts."""
    span = float(len(series[0]))
    return Piece(rows_of(series), (1 - max(SHARES.values())) * span, shares(span), always=always)


def cyclic(draw, number):
    """A daily cycle that all outputs share, each with its own delay and size, whose size varies slowly; a rough force that they
    share, and a rough part of their own. Hourly, 12 days and 5 to forecast."""
    n = 17 * 24
    waves = [(draw.gauss(0, 1) / k, draw.random()) for k in (1, 2, 3)]
    swell, force = rough(draw, n, 5 * 24), rough(draw, n, draw.uniform(12, 72))
    series = []
    for _ in range(draw.randint(3, 5)):
        delay = draw.uniform(0, 0.2)
        cycle = [(1 + 0.3 * swell[i]) * sum(a * math.cos(2 * math.pi * k * (i / 24 - delay - phase)) for k, (a, phase) in enumerate(waves, 1))
                 for i in range(n)]
        series.append(total((draw.uniform(0.5, 1.5), standard(cycle)), (draw.gauss(0, 1), standard(response(force, log_uniform(draw, 1, 12)))),
                            (draw.uniform(0.2, 0.8), rough(draw, n, log_uniform(draw, 3, 24))), (log_uniform(draw, 0.03, 0.2), noise(draw, n))))
    return Piece(rows_of(series, 1 / 24), 12.0, DAYS, unit="d")


def walks(draw, common):
    """Random walks without noise of measurement, as logarithms of exchange rates are; `common`: the share of a common factor."""
    n, series = 300, []
    factor = noise(draw, n)
    for _ in range(draw.randint(3, 6)):
        share = common * draw.uniform(0.6, 1.2)
        step, level, values = log_uniform(draw, 0.003, 0.01), draw.gauss(0, 1), []
        for i in range(n):
            level += step * (share * factor[i] + math.sqrt(max(0.0, 1 - share ** 2)) * draw.gauss(0, 1))
            values.append(level)
        series.append(values)
    return without_days(series)


def trending(draw, number):
    """A straight line, a slow drift and a rough part of each output, and a force that they share."""
    n, series = 250, []
    force = rough(draw, n, draw.uniform(5, 40))
    for _ in range(draw.randint(3, 5)):
        slope = draw.choice((-1, 1)) * draw.uniform(1, 3)
        line = [slope * (i / n - 0.5) for i in range(n)]
        series.append(total((1, line), (draw.uniform(0, 0.5), smooth(draw, n, n / 3)), (draw.gauss(0, 0.5), force),
                            (draw.uniform(0.1, 0.4), rough(draw, n, log_uniform(draw, 3, 20))), (log_uniform(draw, 0.02, 0.1), noise(draw, n))))
    return without_days(series)


def own(draw, n):
    """An output that has nothing to do with the others, rough or smooth."""
    process = draw.choice((rough, smooth))
    return total((1, process(draw, n, log_uniform(draw, 4, 40))), (log_uniform(draw, 0.03, 0.2), noise(draw, n)))


def driven(draw, n, number, forces):
    """Outputs of first-order equations that one or two forces drive."""
    shared = [draw.choice((rough, smooth))(draw, n, log_uniform(draw, 5, 30)) for _ in range(forces)]
    series = []
    for _ in range(number):
        timescale = log_uniform(draw, 1, 12)
        parts = [(draw.choice((-1, 1)) * draw.uniform(0.5, 1.5), standard(response(force, timescale))) for force in shared]
        series.append(total((1, standard(total(*parts))), (log_uniform(draw, 0.03, 0.2), noise(draw, n))))
    return series


def unrelated(draw, number):
    """2 to 6 outputs, one after the other with the number of the draw; the last one has nothing to do with the others and always loses
    windows."""
    n, outputs = 250, 2 + (number - 1) % 5
    series = driven(draw, n, outputs - 1, 1) + [own(draw, n)]
    return without_days(series, always=(f"y{outputs}",))


def independent(draw, number):
    return without_days([own(draw, 250) for _ in range(2 + (number - 1) % 5)])


def shared(draw, number):
    """2 to 6 outputs that differ by their response and noise only."""
    return without_days(driven(draw, 250, 2 + (number - 1) % 5, draw.randint(1, 2)))


def maps(draw, number):
    """Two to four maps on the unit square: one to three smooth forces (EQ) that a Gaussian smooths, differently in each output, at
    scattered places. A wave of frequency w passes with the weight exp(-|w|² / (4 precision))."""
    forces, rows = [], []
    for _ in range(draw.randint(1, 3)):
        lengthscale = log_uniform(draw, 0.1, 0.4)
        forces.append([(draw.gauss(0, 1 / lengthscale), draw.gauss(0, 1 / lengthscale), draw.uniform(0, 2 * math.pi)) for _ in range(100)])
    for d in range(draw.randint(2, 4)):
        width, weights, sd = log_uniform(draw, 0.02, 0.15), [draw.gauss(0, 1) for _ in forces], log_uniform(draw, 0.03, 0.2)
        places = [(draw.random(), draw.random()) for _ in range(120)]
        values = [sum(s * math.exp(-(u * u + v * v) * width ** 2 / 4) * math.cos(u * a + v * b + phase)
                      for s, waves in zip(weights, forces) for u, v, phase in waves) for a, b in places]
        rows += [(f"y{d + 1}", place, y + sd * draw.gauss(0, 1)) for place, y in zip(places, standard(values))]
    return Piece(rows, 1 - max(SHARES.values()), shares(1.0))


KINDS = {
    "cyclic": cyclic,
    "walks": lambda draw, number: walks(draw, 0.8),
    "walks-independent": lambda draw, number: walks(draw, 0.0),
    "trending": trending,
    "unrelated": unrelated,
    "independent": independent,
    "shared": shared,
    "maps": maps,
}
