"""`linkwork check`: look at a mechanism before it is simulated."""

from .arguments import add_json, add_source
from .messages import plain, print_json
from .settings import apply_settings
from .source import load

MARKS = {"ok": "ok   ", "warn": "WARN ", "fail": "FAIL "}
TOPIC = 12


def add(verbs):
    parser = verbs.add_parser(
        "check",
        help="look at a mechanism before it is simulated",
        description="Faults, inertias, reachability, assembly, mobility, and whether all solvers agree at the initial state. Exit code 1 if something fails.",
    )
    add_source(parser)
    parser.add_argument(
        "--set", dest="settings", metavar="PART.PARAM=VALUE", action="append", default=[], help="change a value first; repeatable"
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(options):
    from .preflight import FAIL, WARN, examine  # imports stand where they are used: --help does not wait for them

    source = load(options)
    held = apply_settings(source, options.settings)
    findings = []
    for finding in examine(source, held if options.settings else None):
        findings.append(finding)
        if not options.json:
            print(_lines(finding), flush=True)
    marks = [finding.mark for finding in findings]
    failed = FAIL in marks
    if options.json:
        found = [{"mark": f.mark, "topic": f.topic, "text": f.text, **plain(f.data)} for f in findings]
        print_json({"ok": not failed, "command": options.verb, "name": source.mechanism.name, "findings": found})
    else:
        print(_closing(source.label, marks.count(WARN), marks.count(FAIL)))
    return 1 if failed else 0


def _lines(finding):
    first, *rest = finding.text.splitlines() or [""]
    return "\n".join([f"{MARKS[finding.mark]}{finding.topic:<{TOPIC}}{first}", *(" " * (5 + TOPIC) + line for line in rest)])


def _closing(label, warnings, failures):
    if failures:
        return f"{label}: {failures} of the examinations failed"
    return f"{label}: ready to run" + (f", with {warnings} warning{'s' if warnings > 1 else ''}" if warnings else "")
