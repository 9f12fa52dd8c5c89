"""Values of options. Enumerated ones are those that the program lists in its completion, so that a new value is covered without a change here; a
new option with free values needs a row in EXAMPLES."""
import re
import subprocess

# Options of a fit with values of any kind, and what is given. Times are in the unit of the data.
EXAMPLES = {
    "--operator": [], "--equations": [], "--x": [],  # the kind of model
    "--by": [],  # a command
    "--input": [], "--initial": [], "--copies": [], "--private": [], "--no-private": [],  # MODELS
    "--engine": [], "--force-kernel": [], "--nodes": [], "--features": [], "--inducing": [], "--inducing-inputs": [], "--inducing-noise": [],  # factors
    "--output": [], "--forces": ["2"], "--period": ["5"], "--origin": ["-2", "3"], "--init": ["first.json"], "--fix": ["{noise}=0.05"], "--free": [],
    "--restarts": ["2"], "--max-iterations": ["1", "9"], "--max-seconds": ["20"], "--checkpoint": ["saved.checkpoint"], "--checkpoint-every": ["5"],
    "--tolerance": ["1e-3"], "--horizon": ["40"], "--seed": ["5"], "--threads": ["3"],
    "--memory": ["200M"], "--trace": ["trace.csv"], "--time": ["time"], "--outputs": ["{output}"], "--drop": ["{output}"],
    "--output-column": ["output"], "--value-column": ["y --output-column output"], "--separator": ["comma"], "--decimal": ["."], "--missing": ["-999"],
    "--time-in": ["min"], "--time-unit": ["min"], "--time-format": ["%Y-%m-%dT%H:%M:%S"], "--replicate-column": ["replicate"],
    "--device": ["cpu"],
}
# Flags of `fit` that are not tried: what they do is seen elsewhere, or not at all.
FLAGS_LEFT_OUT = {"--help", "--help-engines", "--version", "--quiet", "--json", "--private", "--no-private", "--resume", "--learn-inducing", "--replicates-by-file"}
VALUES_LEFT_OUT = {("--device", "gpu")}  # its refusal, where there is none, is tested elsewhere


class Options:
    """What the program accepts: command -> option -> listed values ([] for any; None for a flag)."""

    def __init__(self, program):
        text = subprocess.run([program, "help", "--completion", "bash"], check=True, capture_output=True, text=True).stdout
        self.of = {}
        for command, words in re.findall(r"^ +([a-z]+):-\*\) words='([^']*)'", text, re.MULTILINE):
            self.of[command] = {w: None for w in words.split() if w.startswith("--")}
        for command, option, values in re.findall(r"([a-z]+):(--[a-z-]+)(?: \| [a-z]+:-[a-z])?\) words='([^']*)'", text):
            self.of[command][option] = values.split()

    def has(self, command, option):
        return option in self.of.get(command, {})

    def listed(self, command, option):
        return self.of[command].get(option) or []

    def of_fit(self):
        """The values of the factor "option", each as its words, and the options that have no example."""
        found, unknown = [], []
        for option, values in self.of["fit"].items():
            if values is None:
                found += [] if option in FLAGS_LEFT_OUT else [(option,)]
                continue
            given = EXAMPLES.get(option)
            if given is None and not values:
                unknown.append(option)
            if given == []:  # a factor of its own
                continue
            every = dict.fromkeys(values + (given or []))
            found += [(option, *v.split()) for v in every if (option, v) not in VALUES_LEFT_OUT]
        return found, unknown
