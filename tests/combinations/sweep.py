"""Runs combinations of commands (commands.py), counts what answers, and shrinks what fails."""
import collections
import concurrent.futures
import re
import shutil

from commands import ENGINE_OPTIONS, without
from covering import covering, parts
from program import command_line


class Outcome:
    """Of one combination. `answered`: the number of steps that ended with status 0; `trouble`: (complaint, words) or None."""

    def __init__(self):
        self.lines, self.results, self.trouble, self.complete, self.fitted = [], [], None, False, False


def remedy(sweep, program, folder, result):
    """A refusal that names a listed value of an option must not be given again with it; of the engines that it says to use, one must answer or
    give a reason that names no other engine."""
    command, sentence = result.words[0], result.sentence or ""
    for option, value in re.findall(r"(--[a-z-]+) ([\w.-]*\w)", sentence):
        given = result.words[result.words.index(option) + 1] if option in result.words else None
        if option != "--engine" and value in sweep.options.listed(command, option) and value != given:
            again = program.run(folder, without(result.words, option) + [option, value])
            if again.status and again.kind == result.kind:
                return f"the remedy {option} {value} has the same answer: {again.kind}"
    advice = " ".join(re.findall(r"(?:\buse|--engine) ([^;:(]*)", sentence))
    mine = result.words[result.words.index("--engine") + 1] if "--engine" in result.words else None
    engines = [w for w in re.findall(r"\w+", advice) if w in sweep.options.listed(command, "--engine") and w != mine]
    plain = result.words
    for option in ENGINE_OPTIONS:
        plain = without(plain, option)
    found = [program.run(folder, plain + ["--engine", e]) for e in engines]
    if found and all(r.status and re.search(r"\bengine\b", r.sentence or "") for r in found):
        return "every engine of the advice refuses: " + " | ".join(r.kind for r in [result] + found)
    return None


def unreasonable(sweep, combination, outcome, result):
    """Refusals that are wrong for any data of the sweep."""
    if re.search("too large|too many|is not enough memory", result.sentence or ""):
        return f"a few dozen rows are refused for their size: {result.kind}"
    if outcome.fitted and combination["command"].startswith("evaluate") and not combination["engine"]:
        return f"the model that was fitted is refused: {result.kind}"
    return None


def perform(sweep, program, folder, combination, table=None):
    folder.mkdir(parents=True)
    table = table or sweep.table(combination)
    outcome = Outcome()
    for words in sweep.steps(combination, folder, table):
        result = program.run(folder, words)
        outcome.lines.append(command_line(words))
        outcome.results.append(result)
        wrong = program.complaint(result)
        if not wrong and result.status:
            wrong = remedy(sweep, program, folder, result) or unreasonable(sweep, combination, outcome, result)
        if wrong:
            outcome.trouble = (wrong, words[0], result.err.strip()[-600:])
        if wrong or result.status:
            return outcome
        outcome.fitted = outcome.fitted or words[-1] == "m.json"
    outcome.complete = True
    return outcome


def same(a, b):
    """Whether two troubles are one, up to numbers."""
    plain = lambda text: re.sub(r"0x[0-9a-f]+|\d+", "#", text)
    return a and b and a[1] == b[1] and plain(a[0]) == plain(b[0])


def shrink(sweep, program, root, combination, trouble, most=60):
    """The combination with as many values at their defaults, and the table with as few rows, as keep the trouble."""
    runs = 0

    def fails(candidate, table):
        nonlocal runs
        runs += 1
        folder = root / f"try{runs}"
        try:
            return runs <= most and same(perform(sweep, program, folder, candidate, table).trouble, trouble)
        except (StopIteration, IndexError, ValueError):  # nothing is left of the table
            return False
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    for factor in reversed(list(sweep.factors)):
        plainer = combination | {factor: sweep.default[factor]}
        if plainer != combination and fails(plainer, None):
            combination = plainer
    table = sweep.table(combination)
    for size in (2, 4, 8):  # without one half, quarter, … of the times, or without an output
        for piece in range(size):
            times = sorted({r.x for r in table.rows})
            gone = set(times[piece * len(times) // size:(piece + 1) * len(times) // size])
            smaller = table.with_rows(r for r in table.rows if r.x not in gone)
            if gone and smaller.readings() and fails(combination, smaller):
                table = smaller
    for name in table.outputs():
        smaller = table.with_rows(r for r in table.rows if r.output != name)
        if smaller.readings() and fails(combination, smaller):
            table = smaller
    return combination, table


class Tally:
    def __init__(self, sweep):
        self.sweep = sweep
        self.refusals = collections.Counter()
        self.troubles = []
        self.combinations = self.complete = self.seconds = 0
        self.answered, self.tried = set(), set()
        self.alone = {}  # (kind, factor, value) -> whether it answered with everything else at its default
        self.slowest = None

    def add(self, combination, outcome):
        self.combinations += 1
        self.complete += outcome.complete
        for r in outcome.results:
            self.seconds += r.seconds
            if r.status:
                self.refusals[r.words[0] + ": " + r.kind] += 1
            if not self.slowest or r.seconds > self.slowest.seconds:
                self.slowest = r
        other = [(f, v) for f, v in combination.items() if f != "kind" and v != self.sweep.default[f]]
        if len(other) == 1:
            self.alone[(combination["kind"], *other[0])] = outcome.complete
        found = parts(combination, sweep_family(self.sweep, combination), self.sweep.risky) + [((f, v),) for f, v in combination.items()]
        self.tried.update(found)
        self.answered.update(p for p in found if outcome.complete or outcome.fitted and "command" not in dict(p))


def sweep_family(sweep, combination):
    return next(f for f in sweep.families if combination["kind"] in f["kind"])


def each_alone(sweep):
    """For every family: every value with everything else at its default."""
    for family in sweep.families:
        plain = sweep.default | {"kind": family["kind"][0]}
        yield family, [plain] + [plain | {f: v} for f, values in family.items() if f != "kind" for v in values[1:]]


def combined(sweep, tally):
    """The pairs and triples of the values that answer alone in their family; what is refused alone would hide the others."""
    listed = []
    for family, alone in each_alone(sweep):
        good = {f: [v for v in values if v == values[0] or f == "kind" or tally.alone.get((family["kind"][0], f, v))] for f, values in family.items()}
        risky = [{f: None if v is None else [x for x in v if x in good[f]] for f, v in group.items()} for group in sweep.risky]
        listed += covering(good, [group for group in risky if all(v is None or v for v in group.values())])
    return listed


def specification(sweep, combination):
    return "; ".join(f"{f}={v}" for f, v in combination.items() if v != sweep.default[f]) or "default"


def parse(sweep, text):
    given = dict(part.strip().split("=", 1) for part in text.split(";") if "=" in part)
    unknown = {f: v for f, v in given.items() if v not in sweep.factors.get(f, ())}
    if unknown:
        raise SystemExit(f"not a factor or a value of it: {unknown}")
    return sweep.default | given


def run_all(sweep, program, root, combinations, tally, jobs, keep, names):
    """Runs them side by side; prints failures as they appear, those of one kind once."""
    def one(item):
        name, combination = item
        folder = root / name
        outcome = perform(sweep, program, folder, combination)
        if not outcome.trouble or not keep:
            shutil.rmtree(folder)
        return name, combination, outcome

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, combination, outcome in pool.map(one, zip(names, combinations)):
            tally.add(combination, outcome)
            if outcome.trouble:
                known = next((t for t in tally.troubles if same(t[1], outcome.trouble)), None)
                if known:
                    known[2].append(name)
                else:
                    tally.troubles.append((combination, outcome.trouble, [name]))
                    print(f"found {name}: {outcome.trouble[0][:300]}: {specification(sweep, combination)}", flush=True)


def report_troubles(sweep, program, root, tally, keep):
    for combination, trouble, names in tally.troubles:
        small, table = shrink(sweep, program, root / f"{names[0]}-shrinking", combination, trouble)
        folder = root / f"{names[0]}-smallest"
        outcome = perform(sweep, program, folder, small, table)
        print(f"FAIL  {trouble[0]}\n      {len(names)} times, first in {names[0]}; --only '{specification(sweep, small)}'")
        for line in outcome.lines:
            print(f"      {program.path} {line}")
        print("      " + (outcome.trouble or trouble)[2].replace("\n", "\n      ")[:1500])
        if keep:
            print(f"      files: {folder}", flush=True)
        else:
            shutil.rmtree(folder)
        shutil.rmtree(root / f"{names[0]}-shrinking", ignore_errors=True)
