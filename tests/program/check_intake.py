"""Runs the cases of tests/intake, which tests/intake/README.md describes.

Usage: check_intake.py PROGRAM CASES SCRATCH [NAME…]
"""
import csv
import os
import re
import shlex
import subprocess
import sys

DATA = (".csv", ".tsv", ".txt", ".csv.gz")
EXPECTATIONS = (".options", ".expected", ".notes", ".error")


class Wrong(Exception):
    """What a case does that it should not."""


def text_of(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def key_of(row):
    """Sorts numbers as numbers, so that two spellings of one table come in one order."""
    key = []
    for cell in row:
        try:
            key.append((0, float(cell), ""))
        except ValueError:
            key.append((1, 0.0, cell))
    return key


def same_cell(expected, found):
    if expected == found:
        return True
    try:
        a, b = float(expected), float(found)
    except ValueError:
        return False
    return abs(a - b) <= 1e-12 * max(abs(a), abs(b))


def without_unit(heading):
    return re.sub(r"\s*[\[(][^\[\]()]*[\])]$", "", heading)


def compare(expected_path, found_path):
    expected, found = rows_of(expected_path), rows_of(found_path)
    if not found:
        raise Wrong("an empty table was written")
    headings = list(map(without_unit, found[0]))
    if len(headings) != len(expected[0]) or any(h not in ("*", f) for h, f in zip(map(without_unit, expected[0]), headings)):
        raise Wrong(f"the columns are {','.join(found[0])}, not {','.join(expected[0])}")
    left, right = sorted(expected[1:], key=key_of), sorted(found[1:], key=key_of)
    for want, have in zip(left, right):
        if len(want) != len(have) or not all(map(same_cell, want, have)):
            raise Wrong(f"a row is {','.join(have)}, not {','.join(want)}")
    if len(left) != len(right):
        raise Wrong(f"{len(right)} rows were written, not {len(left)}")


def check_messages(patterns, text, data_name):
    """Numbers and single letters must stand by themselves, outside the name of the file."""
    bare = text.replace(data_name, "FILE")
    for pattern in patterns:
        if pattern.startswith("! "):
            if pattern[2:].lower() in bare.lower():
                raise Wrong(f"the messages contain '{pattern[2:]}'")
        elif re.fullmatch(r"\d+|[A-Za-z]", pattern):
            if not re.search(rf"(?<![\w.]){pattern}(?![\w])", re.sub(r"FILE:\d+:", "FILE:", bare)):
                raise Wrong(f"the messages lack '{pattern}' as a word")
        elif pattern not in text:
            raise Wrong(f"the messages lack '{pattern}'")


class Cases:
    def __init__(self, program, folder, scratch):
        self.program, self.folder = program, folder
        self.out = [os.path.join(scratch, name) for name in ("out.csv", "again.csv", "back.csv")]
        self.messages = ""

    def run(self, arguments, out, stdin=None):
        if os.path.exists(out):
            os.remove(out)
        done = subprocess.run([self.program, "data", *arguments, "-o", out], cwd=self.folder, capture_output=True,
                              stdin=stdin if stdin else subprocess.DEVNULL, timeout=60)
        self.messages = done.stderr.decode("utf-8", "replace")
        if done.stdout:
            raise Wrong("something was printed on standard output")
        return done.returncode

    def refused(self, data, options, patterns):
        status = self.run([data, *options], self.out[0])
        if status not in (1, 2):
            raise Wrong(f"exit status {status}, not 1 or 2" +
                        (": it was read as\n" + text_of(self.out[0]) if os.path.exists(self.out[0]) else ""))
        if os.path.exists(self.out[0]):
            raise Wrong("an output file was left")
        if "latentforce: error: " not in self.messages:
            raise Wrong("the message is no error")
        check_messages(patterns, self.messages, data)

    def accepted(self, data, options, expected, patterns):
        if self.run([data, *options], self.out[0]) != 0:
            raise Wrong("it was refused")
        compare(expected, self.out[0])
        check_messages(patterns, self.messages, data)
        if "--replicates-by-file" not in options:
            with open(os.path.join(self.folder, data), "rb") as stream:
                if self.run(["-", *options, "--quiet"], self.out[1], stream) != 0:
                    raise Wrong("it was refused from standard input")
            if self.messages:
                raise Wrong("--quiet prints messages")
            if text_of(self.out[0]) != text_of(self.out[1]):
                raise Wrong("from standard input another table is read")
        numbers = ["--time-in", "number"] if "number" in options else []
        if self.run([self.out[0], *numbers], self.out[2]) != 0:
            raise Wrong("the table written was refused")
        compare(self.out[0], self.out[2])

    def check(self, data):
        stem = os.path.join(self.folder, stem_of(data))
        has = {end: os.path.exists(stem + end) for end in EXPECTATIONS}
        if has[".expected"] == has[".error"]:
            raise Wrong("a case has either an .expected or an .error")
        if has[".error"] and has[".notes"]:
            raise Wrong("a refused file has no .notes")
        options = shlex.split(text_of(stem + ".options")) if has[".options"] else []
        words = text_of(stem + (".error" if has[".error"] else ".notes")).splitlines() if has[".error"] or has[".notes"] else []
        if has[".error"]:
            self.refused(data, options, words)
        else:
            self.accepted(data, options, stem + ".expected", words)


def stem_of(name):
    return name.split(".")[0]


def main():
    program, folder, scratch, *chosen = sys.argv[1:]
    names = [name for name in sorted(os.listdir(folder)) if name not in ("README.md", ".gitattributes", "parts")]
    data = [name for name in names if name.endswith(DATA)]
    stems = [stem_of(name) for name in data]
    cases, passed, failed = Cases(program, folder, scratch), 0, 0
    for name in names:
        if name not in data and not (name.endswith(EXPECTATIONS) and stem_of(name) in stems):
            print(f"FAIL  {name}: belongs to no data file")
            failed += 1
    for name in data:
        if chosen and stem_of(name) not in chosen:
            continue
        try:
            cases.messages = ""
            if stems.count(stem_of(name)) > 1:
                raise Wrong("two data files have this name")
            cases.check(name)
            print(f"ok    {name}")
            passed += 1
        except (Wrong, subprocess.TimeoutExpired, ValueError, OSError) as problem:
            failed += 1
            print(f"FAIL  {name}: {problem}")
            print("".join(f"      {line}\n" for line in cases.messages.splitlines()), end="")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not chosen and passed < 40 else 0


sys.exit(main())
