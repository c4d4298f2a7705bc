"""Files of the folder that the console was started in: save load merge run; and quit."""

import os

import linkwork as lw

from .errors import RefusedError
from .table import command
from .words import quoted, shortened

MOST_LINES = 100_000
MOST_BYTES = 10_000_000


@command("save FILE", "writes the mechanism as it stands and moves to a file (.toml) in the folder")
def save(console, given):
    path = console.path(given.values[0], ".toml")
    console.live.save(path)
    yield f"saved {quoted(os.path.relpath(path, console.folder))}"


@command("load FILE", "puts a mechanism from a file (.toml) of the folder in the place of what is here")
def load(console, given):
    document = _document(console, given.values[0])
    integrator = None if document.setup.integrator is not None else console.live.integrator
    console.open(lw.Live(document, integrator))
    yield f"loaded {len(console.mechanism.bodies)} bodies"


@command(
    "merge FILE PREFIX [-t x y z] [-E w x y z]",
    "adds a mechanism from a file (.toml) of the folder, its names with a prefix, its world at -t -E",
)
def merge(console, given):
    from .find import rotation

    name, prefix = given.values
    document = _document(console, name)
    other = document.mechanism
    model = other.build()
    where = lw.forward_kinematics(model, document.setup.start(model).q)
    poses = {body.name: where.pose(body.name) for body in model.bodies}
    at = lw.Pose(given["-t"] or (0.0, 0.0, 0.0), None if given["-E"] is None else rotation(given["-E"]))
    with console.live.edit(f"merge {name}") as m:
        made = m.merge(other, prefix, at, poses)
    yield f"merged {sum(part.role == 'body' for part in made)} bodies"


def _document(console, name):
    path = console.path(name, ".toml")
    if not os.path.isfile(path):
        raise RefusedError(f"there is no file {shortened(name)} in {console.folder}; {_near(console.folder, '.toml')}")
    return lw.Document.open(path)


def _near(folder, suffix):
    there = sorted(entry for entry in os.listdir(folder) if entry.lower().endswith(suffix))
    return f"there are {', '.join(map(quoted, there[:8]))}" if there else f"it holds no {suffix} files"


@command("run FILE", "runs the commands of a script (.ves) of the folder")
def run(console, given):
    (name,) = given.values
    path = console.path(name, ".ves")
    if not os.path.isfile(path):
        raise RefusedError(f"there is no file {shortened(name)} in {console.folder}; {_near(console.folder, '.ves')}")
    if os.path.getsize(path) > MOST_BYTES:
        raise RefusedError(f"{shortened(name)} has more than {MOST_BYTES} bytes; allowed are {MOST_BYTES}")
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    yield from console.script(lines)


@command("quit", "ends the console", "exit")
def quit_(console, given):
    console.leaving = True
