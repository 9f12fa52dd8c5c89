def run(options, program):
    raise SystemExit("not yet")
