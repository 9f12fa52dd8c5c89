#!/usr/bin/env python3
"""Compares two results of the program, JSON or CSV: the same words, and numbers that agree to a tolerance.

usage: compare_results.py TOLERANCE EXPECTED FOUND [KEY…] [KEY=TOLERANCE…]

The difference of two numbers is relative to the larger of them, or of 1. Keys named at the end are left out, as are times and texts
that tell them, or have another tolerance. Prints the largest difference; exit status 1 if it is too large.
"""
import base64
import csv
import json
import math
import struct
import sys

LEFT_OUT = {"seconds", "reason", "note"}


def numbers_of(text):
    """The numbers of a base64 text, or None."""
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return list(struct.unpack(f"<{len(raw) // 8}d", raw)) if len(raw) >= 8 and len(raw) % 8 == 0 else None


def differences(where, a, b, left_out):
    """Pairs of a place and the difference there."""
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        yield where, 0 if a == b else math.inf
    elif isinstance(a, (int, float)) and isinstance(b, (int, float)):
        same = a == b or (math.isnan(a) and math.isnan(b))
        yield where, 0 if same else abs(a - b) / max(1, abs(a), abs(b))
    elif isinstance(a, str) and isinstance(b, str):
        x, y = numbers_of(a), numbers_of(b)
        if a == b:
            yield where, 0
        elif x and y:
            scale = max(1, max(map(abs, x)))
            yield from differences(where, [v / scale for v in x], [v / scale for v in y], left_out)
        else:
            yield f"{where}: {a!r} and {b!r}", math.inf
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(f"{where}[{i}]", x, y, left_out)
    elif isinstance(a, dict) and isinstance(b, dict) and set(a) - left_out == set(b) - left_out:
        for key in set(a) - left_out:
            yield from differences(f"{where}.{key}", a[key], b[key], left_out)
    else:
        yield f"{where}: another shape", math.inf


def cell(text):
    try:
        return float(text)
    except ValueError:
        return text


def read(path):
    with open(path, newline="") as file:
        text = file.read()
    if text.lstrip().startswith("{"):
        return json.loads(text)
    return [[cell(c) for c in row] for row in csv.reader(text.splitlines())]


def main():
    tolerance, expected, found = float(sys.argv[1]), read(sys.argv[2]), read(sys.argv[3])
    left_out = LEFT_OUT | {word for word in sys.argv[4:] if "=" not in word}
    others = [word.split("=") for word in sys.argv[4:] if "=" in word]

    def excess(found):
        allowed = next((float(value) for key, value in others if key in found[0]), tolerance)
        return found[1] / allowed

    worst = max(differences("", expected, found, left_out), key=excess, default=("empty", math.inf))
    print(f"{worst[1]:.2g} at {worst[0] or 'the top'}")
    return 0 if excess(worst) <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
