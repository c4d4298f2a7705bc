"""Files of the folder that the console was started in: save load merge run; and quit."""

import os

import linkwork as lw

from .console import live_of
from .errors import RefusedError
from .find import rotation
from .table import command
from .words import quoted


@command("save FILE", "writes the mechanism as it stands and moves to a file (.toml) in the folder; what was there is kept as FILE~")
def save(console, given):
    (name,) = given.values
    text = console.live.document.text_at(console.path(name, ".toml"))
    console.folder.write(name, text, replace=True)
    yield f"saved {quoted(name)}"


@command("load FILE", "puts a mechanism from a file (.toml) of the folder in the place of what is here")
def load(console, given):
    console.open(live_of(_document(console, given.values[0]), console.live.integrator))
    yield f"loaded {len(console.mechanism.bodies)} bodies"


@command(
    "merge FILE PREFIX [-t x y z] [-E w x y z]",
    "adds a mechanism from a file (.toml) of the folder, its names with a prefix, its world at -t -E",
)
def merge(console, given):
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
    _refuse_missing(console, name, path)
    return lw.Document.open(path)


def _refuse_missing(console, name, path):
    if not os.path.isfile(path):
        there = console.folder.names((os.path.splitext(path)[1],))
        raise RefusedError(f"there is no such file: {lw.UnknownNameError('file of the folder', name, there)}")


@command("run FILE", "runs the commands of a script (.ves) of the folder")
def run(console, given):
    (name,) = given.values
    path = console.path(name, ".ves")
    _refuse_missing(console, name, path)
    text = console.folder.read(name, (".ves",)).decode("utf-8", errors="replace")
    yield from console.script(text.splitlines())


@command("quit", "ends the console", "exit")
def quit_(console, given):
    console.leaving = True
