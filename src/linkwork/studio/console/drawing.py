"""Where frames are drawn: nowhere, as lines of poses, in a file, on the page. A back-end has `frame(live, number)`, which may return lines.

frame 12 0.4 2                      number, time (s), how many bodies follow
pose crank 0 0 .5 1 0 0 0           body, position (m), quaternion w x y z, in the world
pose rod .2 0 .5 1 0 0 0
"""

import os

from .errors import MisusedError, RefusedError
from .table import COMMANDS, command
from .words import quoted, shortened, shown

HEADER = "; linkwork poses 1"


class Null:
    """Draws nothing."""

    name = "null"

    def frame(self, live, number):
        return ()

    def close(self):
        pass


class Lines(Null):
    """Poses as lines of the answer."""

    name = "bolio"

    def frame(self, live, number):
        return pose_lines(live, number)


class Page(Null):
    """A page, or whatever else was plugged in: it is told of each frame."""

    name = "page"

    def __init__(self, page):
        self.page = page

    def frame(self, live, number):
        self.page.frame(live)
        return ()


class Corpus(Null):
    """Poses in a file, every n-th frame."""

    name = "corpus"

    def __init__(self, path, every):
        self.path, self.every, self.count = path, every, 0
        _refuse_foreign(path)
        self.file = open(path, "w", encoding="utf-8")
        self.file.write(HEADER + "\n")
        self.file.flush()

    def frame(self, live, number):
        if self.count % self.every == 0:
            self.file.writelines(line + "\n" for line in pose_lines(live, number))
            self.file.flush()
        self.count += 1
        return ()

    def close(self):
        self.file.close()


def pose_lines(live, number):
    """A frame as lines."""
    poses = live.poses()
    yield f"frame {number} {shown(live.time)} {len(poses)}"
    for name, pose in poses.items():
        yield f"pose {quoted(name)} {shown(pose.translation)} {shown(pose.quaternion)}"


def _refuse_foreign(path):
    """A file that holds something else than poses is not written over."""
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        if file.readline(len(HEADER) + 1).rstrip("\n") != HEADER:
            raise RefusedError(f"{shortened(os.path.basename(path))} is there and holds something else than poses; give another name")


@command(
    "draw [{bolio|page|corpus|file|null}] [FILE] [n]",
    "where frames go: bolio or page: to the page, or as lines of poses where there is none; corpus or file: every n-th to a file; null: nowhere",
)
def draw(console, given):
    word, name, every = given.values
    if word is None:
        yield f"draw {console.draw.name}"
        return
    if (word in ("corpus", "file")) != (name is not None):
        raise MisusedError("draw: corpus takes a file and a number n, the others nothing", COMMANDS["draw"].usage.text)
    if every is not None and every < 1:
        raise RefusedError("draw: n is 0; allowed is a whole number from 1 on: every n-th frame is written")
    if word == "null":
        new = Null()
    elif name is not None:
        new = Corpus(console.path(name), every or 1)
    else:
        new = Lines() if console.page is None else Page(console.page)
    console.draw.close()
    console.draw = new
