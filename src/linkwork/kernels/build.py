"""Units compiled in parallel processes.

A *recipe* says how a unit is made: ("entry", module, kernel, letters) for one that Python or an address reaches, ("unit", module, text) for one that
was met while another was compiled (text: kernel and argument types, pickled).
Compiling a unit tells which others it calls; those are compiled next, until none is missing.
"""

import base64
import contextlib
import json
import os
import pickle
import queue
import subprocess
import sys
import threading
import time

from .level import target
from .progress import display
from .store import find, keep, pack, write
from .versions import check_numba

# that hold kernels
FOLDERS = ("spatial", "geometry", "parts", "model", "dynamics", "constraints", "solvers", "analysis", "integrators", "simulation")
SECOND = 1.0


def make(recipe):
    """Compile one unit in this process and keep it; returns its header."""
    check_numba()
    from . import compiler

    start = time.perf_counter()
    unit = unit_from(recipe)
    data, called, libc = compiler.object_of(unit)
    from .sources import digest_of, files_of

    header = {
        "symbol": unit.symbol,
        "returns": str(unit.returns),
        "needs": {other.symbol: [str(other.returns), recipe_of(other)] for other in called},
        "libc": libc,
        "files": {file: digest_of(file) for file in files_of(unit.kernel)},
        "seconds": round(time.perf_counter() - start, 3),
    }
    return write(header, data, on_disk=unit.kernel.is_ours)


def unit_from(recipe):
    """The unit of a recipe."""
    from . import compiler
    from .decorator import _find_kernel

    compiler.begin()
    if recipe[0] == "entry":
        return compiler.entry_unit(_find_kernel(recipe[1], recipe[2]), recipe[3])
    kernel, argtypes = pickle.loads(base64.b64decode(recipe[2]))
    return compiler.unit_of(kernel, argtypes)


def recipe_of(unit):
    """How to make a unit that was met while another was compiled."""
    text = base64.b64encode(pickle.dumps((unit.kernel, unit.argtypes))).decode()
    return ["unit", unit.kernel.py_func.__module__, text]


def build(missing, workers=None, shown=display):
    """Compile units and all that they call. missing: {symbol: recipe}. Returns the headers of all units that were compiled."""
    if missing:
        check_numba()
    workers = workers or min(os.cpu_count() or 1, 8)
    waiting, known, made = dict(missing), set(missing), []
    for symbol, recipe in missing.items():
        if not _is_ours(recipe):  # another process does not know it
            return [make(recipe), *build({s: r for s, r in missing.items() if s != symbol}, workers, shown)]
    team, answers, begun = [], queue.SimpleQueue(), shown.begin()
    try:
        while waiting or any(worker.busy for worker in team):
            while waiting:
                idle = next((worker for worker in team if not worker.busy), None)
                if idle is None and len(team) == workers:
                    break
                if idle is None:
                    team.append(idle := _Worker(answers))
                symbol = idle.choose(waiting)
                idle.give(symbol, waiting.pop(symbol))
            busy = [worker.symbol for worker in team if worker.busy]
            shown.show(begun, len(made), len(made) + len(busy) + len(waiting))
            try:
                worker, line = answers.get(timeout=SECOND)
            except queue.Empty:
                continue  # the seconds shown go on
            header = worker.header(line)
            made.append(header)
            for symbol, (_, recipe) in header["needs"].items():
                if symbol not in known:
                    known.add(symbol)
                    if find(symbol) is None:
                        waiting[symbol] = tuple(recipe)
                    else:
                        waiting |= _missing_below(symbol, known)
    finally:
        for worker in team:
            worker.close()
        shown.end(begun, len(made))
    return made


def entries():
    """{symbol: recipe} of all that Python or an address reaches: what a library is built for."""
    import importlib
    import pkgutil

    from .decorator import ENTRIES
    from .signatures import entry_symbol
    from .sources import PACKAGE

    for folder in FOLDERS:
        for module in pkgutil.walk_packages([str(PACKAGE / folder)], f"linkwork.{folder}."):
            importlib.import_module(module.name)
    return {
        entry_symbol(kernel, letters): ("entry", kernel.py_func.__module__, kernel.py_func.__qualname__, letters)
        for kernel, letters in ENTRIES
        if kernel.is_ours
    }


def build_library(workers=None, shown=display):
    """Compile all units that are not there and write them into one file; returns (the file, headers of units compiled)."""
    from .loader import closure

    roots = entries()
    made = build({symbol: recipe for symbol, recipe in roots.items() if find(symbol) is None}, workers, shown)
    symbols = set()
    for symbol, recipe in roots.items():
        units, missing = closure(symbol, recipe)
        while missing:
            made += build(missing, workers, shown)
            units, missing = closure(symbol, recipe)
        symbols |= {unit.header["symbol"] for unit in units}
    return pack(symbols, target().name), made


def _is_ours(recipe):
    return recipe[1].startswith("linkwork.")


def _missing_below(symbol, known):
    """What a unit that is there needs and that is not there."""
    missing, below = {}, [symbol]
    while below:
        unit = find(below.pop())
        for other, (_, recipe) in unit.header["needs"].items():
            if other not in known:
                known.add(other)
                if find(other) is None:
                    missing[other] = tuple(recipe)
                else:
                    below.append(other)
    return missing


class _Worker:
    """A process that compiles units, and a thread that waits for its answers: not every system can wait for several pipes at once."""

    def __init__(self, answers):
        from .sources import PACKAGE

        paths = os.pathsep.join([str(PACKAGE.parent), *[p for p in sys.path if p]])
        # What is compiled here is loaded there: both have the target that was chosen there.
        environment = {**os.environ, "PYTHONPATH": paths, "LINKWORK_QUIET": "1", "LINKWORK_TARGET": target().name}
        command = [sys.executable, "-m", "linkwork.kernels.worker"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
        self.symbol = None
        self.wide = 0
        threading.Thread(target=self._listen, args=(answers,), daemon=True).start()

    def _listen(self, answers):
        for line in self.process.stdout:
            answers.put((self, line))
        answers.put((self, ""))

    @property
    def busy(self):
        return self.symbol is not None

    def choose(self, waiting):
        """A unit of the kind done last, if there is one: the algebra of its scalar is compiled already."""
        return next((symbol for symbol in waiting if ("P" in symbol.partition("(")[2]) == bool(self.wide)), next(iter(waiting)))

    def give(self, symbol, recipe):
        self.symbol, self.wide = symbol, "P" in symbol.partition("(")[2]
        self.process.stdin.write(json.dumps(recipe) + "\n")
        self.process.stdin.flush()

    def header(self, line):
        """What a line of its answers says."""
        symbol, self.symbol = self.symbol, None
        if not line:
            raise RuntimeError(f"kernel {symbol} could not be compiled: the compiling process ended with {self.process.wait()}")
        found = json.loads(line)
        if "error" in found:
            raise RuntimeError(f"kernel {symbol} could not be compiled:\n{found['error']}")
        if "unit" in found:
            keep(found["symbol"], base64.b64decode(found.pop("unit")))
        return found

    def close(self):
        with contextlib.suppress(OSError):  # it may have ended before it read what it was given
            self.process.stdin.close()
        if self.busy:
            self.process.terminate()
        self.process.wait()
