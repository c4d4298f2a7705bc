"""Files and edits that mean harm, or are mistaken: refused by a typed error, or honoured, never a raw error."""

import collections
import re

import numpy as np

import linkwork as lw

from . import scripts
from .agreement import FUNCTIONS, Finding, first_line

NUMBERS = ("nan", "inf", "-inf", "1e308", "-1e308", "0", "-1", "1e-320", '"x"', "[]", "{}", "true", "[1, [2]]")
PLAIN = (0.5, 2.0, -1.0, 1e3, 1e-3, 0.0, 1.0)  # times a number
EDITS = 6


def hostile_findings(case, tally=None):
    """What raw errors some mutations of the mechanism's file, of a robot, of a document, and scripts of edits and of lines lead to.

    tally: a Counter that is told how often each was tried, and how many files were refused.
    """
    rng, tally = np.random.default_rng(case.seed), collections.Counter() if tally is None else tally
    try:
        text = lw.to_toml(case.mechanism, functions=FUNCTIONS)
    except lw.FormatError:
        text = None
    found = []
    for change in () if text is None else (renumbered, renumbered, renumbered, mutated, mutated, mutated):
        found += _tried(lambda change=change: _read(change(text, rng)), "file", tally)
    found += _tried(lambda: _edit(case, rng), "edits", tally)
    rng = np.random.default_rng([case.seed, 3])
    drawn = scripts.robot(rng)
    found += _tried(lambda: scripts.read_robot(drawn), "robot", tally, refused="loud")
    found += [f for _ in range(4) for f in _tried(lambda: scripts.read_robot(scripts.broken_robot(rng)), "robot, broken", tally)]
    found += [f for _ in range(2) for f in _tried(lambda: scripts.read_robot(renumbered(drawn, rng)), "robot, renumbered", tally)]
    if text is not None:
        found += _tried(lambda: scripts.edit_document(case, rng), "document", tally, refused="loud")
    return found + _tried(lambda: scripts.type_lines(rng), "console", tally)


def _tried(function, check, tally, refused=None):
    """Findings of a call that may raise errors of ours; `refused`: of what kind of finding such an error is, None for none."""
    tally[check] += 1
    try:
        found = function()
    except lw.LinkworkError as error:
        tally[f"{check}, refused"] += 1
        return [Finding(refused, check, first_line(error))] if refused else []
    except Exception as error:
        return [Finding("raw", check, f"{type(error).__name__}: {str(error)[:200]}")]
    return [found] if isinstance(found, Finding) else []


def renumbered(text, rng):
    """A text with one to three of its numbers changed: most such files can be read."""
    for _ in range(rng.integers(1, 4)):
        found = list(re.finditer(r"(?<![\w.])-?\d+\.?\d*(e-?\d+)?(?![\w.])", text))
        if found:
            number = found[rng.integers(len(found))]
            other = PLAIN[rng.integers(len(PLAIN))] * float(number.group()) + (0.0, 0.0, 1e-3)[rng.integers(3)]
            text = f"{text[: number.start()]}{other:.9g}{text[number.end() :]}"
    return text


def mutated(text, rng):
    """A text with one to three of its parts changed: a value replaced, a line doubled, dropped or cut, a character changed."""
    lines = text.split("\n")
    for _ in range(rng.integers(1, 4)):
        k = int(rng.integers(len(lines)))
        how = rng.integers(5)
        if how == 0 and "=" in lines[k]:
            lines[k] = lines[k].split("=")[0] + "= " + NUMBERS[rng.integers(len(NUMBERS))]
        elif how == 1:
            lines.insert(k, lines[k])
        elif how == 2 and len(lines) > 1:
            del lines[k]
        elif how == 3:
            lines[k] = lines[k][: len(lines[k]) // 2]
        elif lines[k]:
            at = int(rng.integers(len(lines[k])))
            lines[k] = lines[k][:at] + chr(int(rng.integers(32, 127))) + lines[k][at + 1 :]
    return "\n".join(lines)


def _read(text):
    mechanism = lw.from_toml(text, functions=FUNCTIONS)
    model = mechanism.build()
    lw.simulate(model, 0.01, record_interval=0.01)


def _edit(case, rng):
    """Random edits of a running mechanism; each may be refused."""
    live = lw.Live(case.mechanism.clone())
    for k in range(EDITS):
        live.advance(0.01)
        parts = [*case.mechanism.forces, *case.mechanism.constraints, *case.mechanism.joints, *case.mechanism.bodies]
        name = parts[rng.integers(len(parts))].name
        bodies = [body.name for body in live.mechanism.bodies] or ["ground"]
        a, b = rng.choice(["ground", *bodies], 2)
        edits = (
            lambda name=name: live.remove(name),
            lambda: live.undo(),
            lambda a=a, b=b, k=k: live.add_joint(f"new {k}", lw.Spherical(), str(a), str(b)),
            lambda k=k: live.add_body(f"stone {k}", mass=1.0, inertia=(0.1, 0.1, 0.1)),
            lambda a=a, b=b, k=k: live.add_force(f"band {k}", lw.SpringDamper(50.0, 1.0), str(a), str(b)),
            lambda a=a: live.pull(str(a), (0.1, 0.0, 0.0), (0.5, 0.0, 0.5)),
            lambda: live.redo(),
        )
        try:
            edits[rng.integers(len(edits))]()
        except lw.LinkworkError:
            pass
    live.advance(0.02)
