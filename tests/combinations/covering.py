"""Covering arrays: lists of combinations in which every pair of values, and every triple of chosen factors, occurs at least once.

Greedy: each new combination begins with a pair or triple that is missing and takes, factor by factor in an order that the seed
determines, the value that covers most of what is still missing. Where no value covers anything it takes the first, which is the
default, so that combinations are as plain as they can be."""
import itertools
import random


def groups(factors, risky=()):
    """The tuples of factors whose values must meet, each with the values that count: all in pairs, given ones in triples."""
    return [(pair, factors) for pair in itertools.combinations(factors, 2)] + \
           [(tuple(values), factors | {f: v for f, v in values.items() if v}) for values in risky]


def tuples(factors, risky=()):
    """Every tuple of values that must occur: ((factor, value), …)."""
    for group, values in groups(factors, risky):
        for chosen in itertools.product(*(values[f] for f in group)):
            yield tuple(zip(group, chosen))


def parts(combination, factors, risky=()):
    """The tuples of values that occur in a combination."""
    return [tuple((f, combination[f]) for f in group) for group, values in groups(factors, risky)
            if all(combination[f] in values[f] for f in group)]


def covering(factors, risky=(), seed=1):
    """`factors`: name -> list of values, the default first. `risky`: {factor: values, or None for all} for each triple."""
    rng = random.Random(seed)
    missing = dict.fromkeys(tuples(factors, risky))
    of = {name: [g for g, _ in groups(factors, risky) if name in g] for name in factors}
    made = []
    while missing:
        chosen = dict(next(iter(missing)))
        rest = [n for n in factors if n not in chosen]
        rng.shuffle(rest)
        for name in rest:
            near = [g for g in of[name] if all(f in chosen or f == name for f in g)]
            gains = [sum(tuple((f, value if f == name else chosen[f]) for f in g) in missing for g in near) for value in factors[name]]
            chosen[name] = factors[name][gains.index(max(gains))]
        made.append({name: chosen[name] for name in factors})
        for part in parts(chosen, factors, risky):
            missing.pop(part, None)
    return made


def singles(factors):
    """As few combinations as hold every value once."""
    length = max(map(len, factors.values()))
    return [{name: values[i % len(values)] for name, values in factors.items()} for i in range(length)]
