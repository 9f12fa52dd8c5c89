"""Whether messages that pages quote are in the sources. Usage: check_quotes.py SOURCE PAGE.md… <PRINTED

Quotes are

* in tables whose first column is called message, sentence or sign: the code spans of that column and, where a cell has none, its text in
  double quotes or, in the column sentence, all of it;
* in indented blocks: lines that begin with note:, warning: or error:, and sentences below the line Verdict;
* in running text: code spans that begin with note: or contain "To set it:".

What varies is written as … or as a number with or without a unit of time, a name in single quotes, a name of a file or a parameter with a
dot, or a short name with a capital. What stands between, up to a colon, must be in one string of the sources between its conversions, or,
divided at its commas, in several.
Quotes that standard input lists, one in a line, are left out: those that a program was seen to print.
"""

from __future__ import annotations

import pathlib
import re
import sys

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CONVERSION = re.compile(r"%[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t)?[a-zA-Z]")
# What a quote has in place of a conversion.
VARIABLE = re.compile(
    r"…|: |'[^']*'|(?<![\w.-])[-+]?\d[\d.]*(?: (?:ms|s|min|h|d|a)\b)?(?![\w-])|(?<!\w)(?:[A-Z][a-z]{0,2}|\w+\.\w[\w.]*)(?!\w)|%"
)


def strings(source: pathlib.Path) -> list[str]:
    """The pieces of all strings of the sources, between conversions; neighbouring literals are one string."""
    found = []
    for path in sorted([*source.glob("src/**/*.c"), *source.glob("cli/**/*.c")]):
        text, end, joined = path.read_text(encoding="utf-8"), -1, ""
        for literal in LITERAL.finditer(text):
            if end < 0 or text[end : literal.start()].strip():
                found.append(joined)
                joined = ""
            joined += literal.group(1).replace('\\"', '"').replace("\\n", "\n")
            end = literal.end()
        found.append(joined)
    plurals = [re.sub(r"(?<=[a-z])%s", end, string.replace("%%", "\0")) for string in found for end in ("", "s")]
    return [piece for string in plurals for piece in CONVERSION.split(string)]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def quotes(page: str) -> list[tuple[int, str]]:
    """The quotes of a page, with the numbers of their lines."""
    found: list[tuple[int, str]] = []
    column, verdict, fenced = "", False, False
    for number, line in enumerate(page.splitlines(), 1):
        fenced = fenced != line.startswith("```")
        if fenced:
            continue
        if line.startswith("|"):
            first = cells(line)[0]
            if not column:
                column = first
            elif column in ("message", "sentence", "sign") and not set(first) <= set("-: "):
                spans = re.findall(r"`([^`]+)`", first) if column != "sign" else []
                spans = spans or re.findall(r'"([^"]+)"', first)
                found += [(number, span) for span in spans or ([first] if column == "sentence" else [])]
            continue
        column = ""
        if line.startswith("    "):
            text = line.strip()
            if verdict or re.match(r"(note|warning|error): ", text):
                found.append((number, re.sub(r"^(note|warning|error): ", "", text)))
            verdict = verdict or text == "Verdict"
            continue
        verdict = False
        spans = re.findall(r"`([^`]+)`", line)
        found += [(number, s.removeprefix("note: ")) for s in spans if s.startswith("note: ") or "To set it:" in s]
    return found


def missing(quote: str, pieces: list[str]) -> list[str]:
    """The parts of a quote that no string has."""

    def known(part: str) -> bool:
        return any(part in piece for piece in pieces)

    parts = [part.strip(" ,;:.()") for part in VARIABLE.split(quote)]
    return [part for part in parts if len(part) > 3 and not known(part) and not all(map(known, part.split(", ")))]


def main() -> int:
    pieces = strings(pathlib.Path(sys.argv[1]))
    count, bad, printed = 0, 0, set(sys.stdin.read().splitlines())
    for name in sys.argv[2:]:
        for number, quote in quotes(pathlib.Path(name).read_text(encoding="utf-8")):
            lost = [] if quote in printed else missing(quote, pieces)
            count += 1
            bad += bool(lost)
            if lost:
                print(f"{name}:{number}: '{quote}': no message has {lost}")
    print(f"{count} quotes, {bad} of them not in the sources")
    return bad > 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())
