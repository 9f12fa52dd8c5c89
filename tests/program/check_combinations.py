"""Runs combinations of command, kind of model, shape of data, engine, kernel and option (tests/combinations), made so that every pair and the risky
triples occur.

usage: check_combinations.py PROGRAM FOLDER [--kind commands|metamorphic] [--share] [--first I] [--count N] [--only SPECIFICATION] [--seconds T]
                             [--jobs J] [--keep] [--mpi PROGRAM]

`commands`: each ends with status 0, 1 or 2, a sentence when not 0, no report of a sanitizer, finite numbers, in time, and the remedy that a
sentence names is not refused. A refusal is a valid answer, but a value that never answers is a failure. Values that are refused alone in their family
of models are not combined there; pairs that were refused in company are tried alone. `metamorphic`: equivalent data, models and requests give equal results (relations.py).

A failure is printed with its smallest reproduction; --keep keeps the files. --share runs a part in which every value occurs, and what failed once
(regressions.py). --only runs one combination again: 'kind=rc1; option=--prior firm', or its number --first I --count 1."""
import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "combinations"))
import metamorphic
import sweep as sweeping
from commands import COMPANY, NEVER, Sweep
from covering import singles, tuples
from program import Program
from regressions import COMMANDS as KNOWN


def alone(sweep, tally, company):
    """Pairs and triples (or with `company` values) that were never answered, with everything else at its default."""
    missing = sorted(t for t in tally.tried - tally.answered if (len(t) == 1) == (company is not None) and not any(part in NEVER for part in t))
    return [sweep.default | (company or {}) | dict(t) for t in missing]


def never(sweep, tally):
    """Values that were tried and never answered. Those of options count one by one, whatever stood beside them."""
    answered = {(o, v) for part in tally.answered if len(part) == 1 for o, v in words_of(*part[0])}
    for part in sorted(t[0] for t in tally.tried - tally.answered if len(t) == 1):
        left = [w for w in words_of(*part) if w not in answered]
        if left and part not in NEVER:
            yield f"{part[0]}={part[1]}"


def words_of(factor, value):
    """A value as the options in it with their values."""
    if not value.startswith("--"):
        return [(factor, value)]
    return [tuple((w.split(" ", 1) + [""])[:2]) for w in (" " + value).split(" --")[1:]]


def run_commands(options, program):
    sweep = Sweep(program)
    tally = sweeping.Tally(sweep)
    arguments = (options.jobs, options.keep)
    if options.only:
        combinations = [sweeping.parse(sweep, options.only)]
    elif options.share:
        combinations = [c for family in sweep.families for c in singles(family)]
    else:
        first = [c for _, alone in sweeping.each_alone(sweep) for c in alone]
        print(f"{len(first)} values alone", flush=True)
        sweeping.run_all(sweep, program, options.folder, first, tally, *arguments, [f"value{i}" for i in range(len(first))])
        combinations = sweeping.combined(sweep, tally)
    if not options.only:
        combinations = ([sweep.default | k for k in KNOWN] + combinations)[options.first:][:options.count]
    names = [f"{options.first + i}" for i in range(len(combinations))]
    print(f"{len(combinations)} combinations of {', '.join(f'{len(v)} {f}' for f, v in sweep.factors.items())}", flush=True)
    sweeping.run_all(sweep, program, options.folder, combinations, tally, *arguments, names)
    whole = not options.only and options.first == 0 and options.count is None
    for i, company in enumerate(COMPANY + [None] * (not options.share) if whole else []):
        again = alone(sweep, tally, company)
        if again:
            print(f"{len(again)} {'values' if i < len(COMPANY) else 'pairs and triples'} without an answer, tried with {company or 'defaults'}", flush=True)
            sweeping.run_all(sweep, program, options.folder, again, tally, *arguments, [f"alone{i}-{k}" for k in range(len(again))])
    sweeping.report_troubles(sweep, program, options.folder, tally, options.keep)
    failed = len(tally.troubles)
    if whole:
        for part in never(sweep, tally):
            print(f"FAIL  never answered: {part}")
            failed += 1
        for option in sweep.unknown:
            print(f"FAIL  {option} is not in tests/combinations/option_values.py or commands.py")
            failed += 1
        if not options.share:
            pairs = {t for family in sweep.families for t in tuples(family, sweep.risky)}
            print(f"{len(pairs & tally.answered)} of {len(pairs)} pairs and triples answered, the others were refused")
    print(f"{tally.combinations} combinations, {program.runs} commands, {tally.seconds:.0f} s: {tally.complete} answered whole, "
          f"{sum(tally.refusals.values())} refusals of {len(tally.refusals)} kinds; {failed} failures")
    if tally.slowest:
        print(f"longest {tally.slowest.seconds:.1f} s: {' '.join(tally.slowest.words)}")
    if options.refusals:
        for text, count in tally.refusals.most_common():
            print(f"{count:6d}  {text[:220]}")
    return failed


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kind", choices=["commands", "metamorphic"], default="commands")
    parser.add_argument("--share", action="store_true")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int)
    parser.add_argument("--only")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--refusals", action="store_true", help="print how often each refusal was given")
    parser.add_argument("--mpi", type=os.path.abspath, help="the program for several processes")
    options = parser.parse_args()
    program = Program(options.program, options.seconds)
    return (run_commands if options.kind == "commands" else metamorphic.run)(options, program) > 0


if __name__ == "__main__":
    sys.exit(main())
