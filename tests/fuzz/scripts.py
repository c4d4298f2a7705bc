"""Robots as URDF, documents under edit and lines for the console, mutated: what each of them must keep to, besides raising no raw error.

robot       a tree of random links; as it is, it is read, and is the same again after it was written in the native format
document    a text with comments; after some edits the text means the mechanism, and what was not touched keeps its comment
console     lines that are nearly right: an answer or an error, after an error all is as it was, no pose is ever NaN
"""

import random
import tempfile

import linkwork as lw
from linkwork.studio.console import COMMANDS, Console

from ..unit.formats.test_urdf_fuzz import mutated
from ..unit.studio.console import test_hostile as console_cases
from .agreement import FUNCTIONS, Finding

LINES = 8  # of a script for the console
EDITS = 5  # of a document
PATIENCE = 0.5  # s that a step of the console may take
KINDS = ("revolute", "continuous", "prismatic", "fixed", "planar", "floating")
UNWANTED = console_cases.SLOW


# ---------------------------------------------------------------------------------------------------------------- robots


def robot(rng):
    """URDF of a tree of two to six links, with all that a joint may have."""
    count = rng.integers(2, 7)
    parts = [_link(k, rng) for k in range(count)]
    parts += [_joint(k, KINDS[rng.integers(len(KINDS))], rng) for k in range(1, count)]
    return '<robot name="drawn">\n' + "\n".join(parts) + "\n</robot>\n"


def _numbers(rng, n, size=1.0):
    return " ".join(f"{x:.9g}" for x in size * rng.normal(size=n))


def _link(k, rng):
    a, b, c = rng.uniform(0.5, 1.0, 3)  # any two are more than the third
    inertia = f'ixx="{a:.9g}" ixy="0" ixz="0" iyy="{b:.9g}" iyz="0" izz="{min(c, 0.99 * (a + b)):.9g}"'
    origin = f'<origin xyz="{_numbers(rng, 3)}" rpy="{_numbers(rng, 3)}"/>'
    return f'<link name="l{k}"><inertial>{origin}<mass value="{rng.uniform(0.5, 2.0):.9g}"/><inertia {inertia}/></inertial></link>'


def _joint(k, kind, rng):
    inside = f'<origin xyz="{_numbers(rng, 3)}" rpy="{_numbers(rng, 3)}"/>'
    if kind not in ("fixed", "floating"):
        inside += f'<axis xyz="{_numbers(rng, 3)}"/>'
    if kind in ("revolute", "prismatic"):
        inside += f'<limit lower="{-rng.uniform(0.1, 2.0):.9g}" upper="{rng.uniform(0.1, 2.0):.9g}" effort="10" velocity="3"/>'
    if kind in ("revolute", "continuous", "prismatic") and rng.uniform() < 0.5:
        inside += f'<dynamics damping="{rng.uniform(0.0, 1.0):.9g}" friction="{rng.uniform(0.0, 0.2):.9g}"/>'
    return f'<joint name="j{k}" type="{kind}"><parent link="l{rng.integers(k)}"/><child link="l{k}"/>{inside}</joint>'


def read_robot(text):
    """Read, built, written and read again, moved a little."""
    mechanism = lw.read(text, root="floating")
    if lw.from_toml(lw.to_toml(mechanism)) != mechanism:
        return Finding("silent", "robot", "a robot is another one after it was written and read in the native format")
    lw.simulate(mechanism, 0.01, record_interval=0.01)
    return None


def broken_robot(rng):
    return mutated(robot(rng), random.Random(int(rng.integers(1 << 30))))


# ------------------------------------------------------------------------------------------------------------- documents


def edit_document(case, rng):
    """Edits of a mechanism whose text has a comment behind every line; each edit may be refused."""
    text = lw.to_toml(case.mechanism, functions=FUNCTIONS)
    document = lw.Document.from_text(commented(text), functions=FUNCTIONS)
    for k in range(EDITS):
        m = document.mechanism
        parts = [*m.forces, *m.constraints, *m.joints, *m.bodies]
        if not parts:
            break
        part = parts[rng.integers(len(parts))]
        edits = (
            lambda part=part, m=m, k=k: m.rename(part, f"{part.name} {k}"),
            lambda part=part, m=m: m.change(part, mass=float(rng.uniform(0.1, 3.0))),
            lambda part=part, m=m: m.remove(part, dependents=True),
            lambda m=m, k=k: m.add_body(f"pebble {k}", mass=1.0, inertia=(0.1, 0.1, 0.1)),
            lambda m=m, k=k: m.add_frame(f"mark # {k}", m.ground.at(*rng.normal(size=3))),
        )
        try:
            edits[rng.integers(len(edits))]()
        except lw.LinkworkError:
            continue
    after = document.text
    if lw.from_toml(after, functions=FUNCTIONS) != document.mechanism:
        return Finding("silent", "document", "the text of an edited document means another mechanism")
    kept = set(after.split("\n"))
    lost = [
        line
        for line in lw.to_toml(document.mechanism, functions=FUNCTIONS).split("\n")
        if line in text.split("\n") and line and line not in kept
    ]
    lost = [line for line in lost if commented(line) not in kept]
    if lost:
        return Finding("silent", "document", f"a line that no edit touched has gone: {lost[0][:100]}")
    return None


def commented(text):
    """The text with a comment behind every line that is a key and its value, or a header."""
    return "\n".join(f"{line}  # as it was" if line.startswith("[") or _is_key(line) else line for line in text.split("\n"))


def _is_key(line):
    key, equals, value = line.partition(" = ")
    return bool(equals) and key.replace("_", "").isalnum() and value[:3] != '"""' and value.count("[") == value.count("]")


# --------------------------------------------------------------------------------------------------------------- console


def type_lines(rng):
    """A script of lines for the console; AssertionError for an answer that none should be."""
    with tempfile.TemporaryDirectory() as folder:
        console = Console(folder=folder, patience=PATIENCE)
        refused = 0
        try:
            for line in console_cases.BEGINNING.splitlines():
                console.execute(line)
            for _ in range(LINES):
                refused += bool(console_cases.check(console, line_for(rng)))
            console.live.mechanism.build()
        finally:
            console.close()
    return refused


def line_for(rng):
    """A line that is nearly right: values for the places of a command, some of its options."""
    names = [name for name in COMMANDS if name not in UNWANTED]
    name = names[rng.integers(len(names))]
    usage, words = COMMANDS[name].usage, [name]
    for item in usage.places:
        if item.needed or rng.uniform() < 0.5:
            words += [_value(what, rng) for what in item.values]
    for flag, item in usage.options.items():
        if rng.uniform() < 0.25:
            words += [flag, *(_value(what, rng) for what in item.values)]
    return " ".join(words)


def _value(what, rng):
    if what.startswith("{"):
        return _one(what[1:-1].split("|"), rng)
    if what == "n":
        return _one(("0", "1", "2", "3", "-1", "1.5"), rng)
    odd = rng.uniform() < 0.15
    if what.isupper():
        likely = console_cases.WORDS if what in ("WORD", "TYPE", "FILE", "PREFIX") else console_cases.NAMES
        return _one(console_cases.ODD_NAMES + console_cases.WORDS if odd else likely, rng)
    return _one(console_cases.ODD_NUMBERS if odd else console_cases.NUMBERS, rng)


def _one(choices, rng):
    return choices[rng.integers(len(choices))]
