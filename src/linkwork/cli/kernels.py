"""`linkwork kernels`: build the library of compiled kernels, or say what is there."""

import os
import time as clock

from .arguments import add_json, add_quiet, near, whole
from .messages import UsageError, answer, remark


def add(verbs):
    parser = verbs.add_parser(
        "kernels",
        help="build the compiled kernels, or say what is there",
        description="Compiled kernels: 'build' compiles all of them ahead of time into one file, so that nothing is ever compiled "
        "while Linkwork is used; 'info' says which are there.",
    )
    parser.add_argument("what", choices=("build", "info"), help="what to do")
    parser.add_argument(
        "--target",
        metavar="NAME",
        help="system and processor level, such as linux-x86-64-v4; by default the best that this machine has to build for, "
        "and what it uses to tell about",
    )
    parser.add_argument("--jobs", metavar="N", type=whole, help="processes that compile at the same time; as many as cores by default")
    add_json(parser)
    add_quiet(parser)
    parser.set_defaults(run=run)


def run(options):
    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"--jobs: found {options.jobs}; allowed is a whole number from 1 on")
    from ..kernels import JIT

    if not JIT:
        raise UsageError("with LINKWORK_JIT=0 everything runs as plain Python: there are no kernels to compile")
    from ..kernels.level import LEVELS, SYSTEMS, target_named, targets_of_host

    if options.target:
        try:
            target_named(options.target)
        except ValueError:
            known = [f"{system}-{level.name}" for system in SYSTEMS for level in LEVELS]
            raise UsageError(f"--target: no target is called {options.target!r}; {near(options.target, known)}") from None
        os.environ["LINKWORK_TARGET"] = options.target
    elif options.what == "build":
        os.environ.setdefault("LINKWORK_TARGET", targets_of_host()[0].name)
    if options.quiet:
        os.environ["LINKWORK_QUIET"] = "1"
    return _build(options) if options.what == "build" else _info(options)


def _build(options):
    from ..kernels.build import build_library
    from ..kernels.level import target
    from ..kernels.progress import Display

    remark(options, f"compiling kernels for {target().name} ...")
    start = clock.perf_counter()
    path, made = build_library(options.jobs, Display(announces=False))
    seconds = clock.perf_counter() - start
    size = path.stat().st_size
    fields = {"target": target().name, "file": str(path), "bytes": size, "compiled": len(made), "seconds": round(seconds, 3)}
    answer(options, f"{path.name}: {size / 1e6:.1f} MB; {len(made)} kernels compiled in {seconds:.1f} s", fields)
    return 0


def _info(options):
    from ..kernels.build import entries
    from ..kernels.level import target, targets_of_host
    from ..kernels.loader import closure

    ready, missing = set(), set()
    for symbol, recipe in entries().items():
        units, absent = closure(symbol, recipe)
        ready |= {unit.header["symbol"] for unit in units}
        missing |= set(absent)
    best = targets_of_host()[0]
    fields = {"target": target().name, "best": best.name, "lanes": target().level.lanes, "ready": len(ready), "missing": sorted(missing)}
    more = ""
    if missing:  # what these call is known when they have been compiled
        more = f", at least {len(missing)} are missing or older than their sources: they are compiled when they are needed"
    if target().is_host and target() != best:
        more += f"; this machine has {best.name} too, for which 'linkwork kernels build' compiles"
    answer(options, f"{target().name}, {target().level.lanes} lanes: {len(ready)} kernels are ready{more}", fields)
    return 0
