"""`Console`: lines of commands in, lines of answers out, on one live mechanism."""

import math

import linkwork as lw

from ..folder import Folder
from .drawing import Null
from .errors import MisusedError, RefusedError
from .table import COMMANDS
from .words import split

ADAMS = lw.Adams(rtol=1e-6, atol=1e-7)  # the tolerances of the thesis
FRAME = 1.0 / 30.0  # s between two frames, until sstepsize says otherwise
DEEPEST = 8  # scripts that run scripts
LONGEST = 100_000  # letters of a line


class Console:
    """Commands on a live mechanism. `execute` never raises for what a line says: an error is its last line and begins with `error:`.

    live: what is built and moved; by default nothing yet, in a world without gravity, integrated by Adams' method.
    folder: files are read and written here and below, nowhere else. page: what `draw page` draws on, an object with `frame(live)`.
    on_open: called with the new Live after `load`. on_freeze: called with True after `freeze` and False after `start`, for a page with a clock of its own.
    patience: s of real time that one `step` may take.

    >>> import linkwork as lw
    >>> console = Console()
    >>> console.execute("ib ball")
    []
    >>> console.execute("sb bal -m 2")
    ["error: no body is called 'bal'; did you mean 'ball'?"]
    """

    def __init__(self, live=None, folder=".", page=None, on_open=None, on_freeze=None, patience=math.inf):
        self.live = new_live() if live is None else live
        self.folder = folder if isinstance(folder, Folder) else Folder(folder)
        self.page, self.on_open, self.on_freeze = page, on_open, on_freeze
        self.frame = FRAME  # s
        self.draw = Null()
        self.drawn = 0  # frames so far
        self.frozen = False
        self.stopping = False  # asks a running `step` to end after the frame it is at
        self.stepping = False
        self.patience = patience
        self.leaving = False
        self.errors = 0
        self.depth = 0

    # ---- one line

    def execute(self, line) -> list[str]:
        """The answer to one line."""
        return list(self.lines(line))

    def lines(self, line):
        """The same as it comes, line by line: a `step` that draws is read along."""
        try:
            yield from self._answer(line)
        except MisusedError as error:
            yield from self._failed(error, error.usage)
        except (lw.LinkworkError, OSError, ArithmeticError, MemoryError) as error:
            yield from self._failed(error)
        except Exception as error:  # a fault of ours; the session of the person must outlive it
            yield from self._failed(f"this is a fault of Linkwork, please report it: {type(error).__name__}: {error}")

    def _answer(self, line):
        if len(line) > LONGEST:
            raise RefusedError(f"the line has {len(line)} letters; allowed are {LONGEST}")
        words = split(line)
        if not words:
            return
        name = str(words[0])
        if name not in COMMANDS:
            raise RefusedError(f"{lw.UnknownNameError('command', name, list(COMMANDS))}; help lists them")
        yield from COMMANDS[name].lines(self, words[1:])

    def _failed(self, error, usage=""):
        self.errors += 1
        if usage:
            yield f"usage: {usage}"
        text = "; ".join(part.strip(" -") for part in str(error).splitlines() if part.strip()).replace(":;", ":") or type(error).__name__
        yield f"error: {text}"

    # ---- many lines

    def run(self, stream_in, stream_out, acknowledge=False) -> int:
        """Answer all lines of a stream; returns how many had errors. acknowledge: after each line that has none, say `ok`."""
        before = self.errors
        while not self.leaving:
            line = self._read(stream_in)
            if not line:
                break
            self._say(line, stream_out, acknowledge)
        return self.errors - before

    def _say(self, line, stream_out, acknowledge):
        errors = self.errors
        for answer in self.lines(line):
            stream_out.write(answer + "\n")
            stream_out.flush()
        if acknowledge and self.errors == errors and split(line):
            stream_out.write("ok\n")
            stream_out.flush()

    @staticmethod
    def _read(stream_in):
        """A line. What is too long is cut, so that its end is not taken for lines of their own."""
        line = rest = stream_in.readline(LONGEST + 2)
        while len(rest) == LONGEST + 2 and not rest.endswith("\n"):
            rest = stream_in.readline(LONGEST + 2)
        return line

    def script(self, lines):
        """The answers to the lines of a script, each error with its place."""
        if self.depth >= DEEPEST:
            raise RefusedError(f"scripts run each other {DEEPEST} deep; allowed are {DEEPEST}; does one run itself?")
        self.depth += 1
        try:
            for number, line in enumerate(lines, 1):
                for answer in self.lines(line):
                    yield f"error: line {number}: {answer.removeprefix('error: ')}" if answer.startswith("error: ") else answer
                if self.leaving:
                    break
        finally:
            self.depth -= 1

    def close(self):
        """Close the file that frames are drawn to, if there is one."""
        self.draw.close()

    def stop(self):
        """Let a running `step` end after the frame it is at. May be called by another thread or a signal."""
        self.stopping = True

    # ---- what commands share

    @property
    def mechanism(self):
        return self.live.mechanism

    def draw_frame(self):
        """Draw a frame; what the back-end has to say of it."""
        self.drawn += 1
        yield from self.draw.frame(self.live, self.drawn) or ()

    def freeze(self, frozen):
        """Let time stand still, or go on. A page has a clock of its own, which is stopped instead."""
        if self.on_freeze is None:
            self.frozen = frozen
        else:
            self.on_freeze(frozen)

    def open(self, live):
        """Go on with another mechanism."""
        self.live = live
        if self.on_open is not None:
            self.on_open(live)

    def path(self, name, suffix="") -> str:
        """A file in the folder, by the name a command gives. Refuses whatever leads out of it, and other endings."""
        return str(self.folder.path_of(name, (suffix,)))


def live_of(document, integrator=ADAMS):
    """A document in motion; integrator: unless it names one itself, or bodies touch, which few can take."""
    own = document.setup.integrator is not None or (document.mechanism.touches and not integrator.takes_contact)
    return lw.Live(document, None if own else integrator)


def new_live():
    """Nothing yet, in a world without gravity."""
    return lw.Live(lw.Mechanism("erector set", gravity=(0.0, 0.0, 0.0)), ADAMS)
