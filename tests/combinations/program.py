"""Runs one command of the program and says what is wrong with how it ended."""
import math
import os
import re
import subprocess

SANITIZER = re.compile(r"(ERROR: (?:Address|Leak|Thread)Sanitizer|runtime error:)")
NOT_FINITE = re.compile(r"(?<![\w.\"'-])[-+]?(nan|inf|infinity)(?![\w\"'-])", re.IGNORECASE)
# Scores of an output without variance, and tables for people, have a word where there is no number.
WORDS_ALLOWED = ("score", "compare", "show", "report", "plot", "data", "fit")


class Result:
    def __init__(self, words, status, seconds, out, err):
        self.words, self.status, self.seconds, self.out, self.err = words, status, seconds, out, err

    @property
    def sentence(self):
        """The error message without its beginning; None where there is none."""
        found = re.search(r"^latentforce: error: (.+)", self.err, re.MULTILINE)
        return found and found.group(1)

    @property
    def kind(self):
        """The error message without names and numbers."""
        return re.sub(r"'[^']*'|\S*\.(csv|json|eq|gz)(:\d+)?|[-+]?\d[\d.e+-]*", "…", self.sentence or f"status {self.status}")


class Program:
    def __init__(self, path, seconds=20, launcher=()):
        self.path, self.seconds, self.launcher = str(path), seconds, list(launcher)
        self.runs = 0
        self.environment = os.environ | {"OMP_WAIT_POLICY": "passive", "LC_ALL": "C.UTF-8", "UBSAN_OPTIONS": "print_stacktrace=1",
                                         "ASAN_OPTIONS": "exitcode=99"}

    def run(self, folder, words):
        self.runs += 1
        limit = f"ulimit -t {math.ceil(3 * self.seconds)}; exec \"$@\""
        with open(folder / "stdout.txt", "wb") as out, open(folder / "stderr.txt", "wb") as err:
            child = subprocess.Popen(["sh", "-c", limit, "sh"] + self.launcher + [self.path] + list(words), cwd=folder,
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=self.environment)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        read = [(folder / name).read_text(errors="replace") for name in ("stdout.txt", "stderr.txt")]
        return Result(list(words), child.returncode, usage.ru_utime + usage.ru_stime, *read)

    def complaint(self, result):
        """What is wrong with how a command ended, as a short sentence; None: nothing."""
        if SANITIZER.search(result.err):
            found = re.search(r"SUMMARY: (.*)|(\S+: runtime error: .*)", result.err)
            return "sanitizer: " + (found.group(0) if found else "report")
        if result.status not in (0, 1, 2):
            return f"exit status {result.status}"
        if result.status and not result.sentence:
            return f"exit status {result.status} without a sentence"
        if result.status and "out of memory" in result.sentence:
            return "out of memory"
        if result.seconds > self.seconds:
            return f"more than {self.seconds:g} s"
        if not result.status and result.words[0] not in WORDS_ALLOWED and NOT_FINITE.search(result.out):
            return f"a number that is not finite: {NOT_FINITE.search(result.out).group(0)}"
        return None


def command_line(words):
    return " ".join(w if re.fullmatch(r"[\w./=:,+@%-]+", w) else "'" + w + "'" for w in words)
