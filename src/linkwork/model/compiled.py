"""Functions of time and relations given as plain Python functions: differentiated by jets, made callable from kernels.

A law's native function reads t and fills value, rate, acceleration. A relation's reads, for each of two markers, R (9, row-major), p, w, u
(3 each), then t; and fills for each row n_a, f_a, n_b, f_b, phi, phi_t, gamma, as parts/constraints/kind.py has them (data/markers.py).
"""

import math

from ..data.markers import GIVEN, MARKER, ROW_RESULT, TIME
from ..errors import ModelError
from ..jets import Jet, as_jet, differentiable, jets_of
from ..jets.meaning import cached_by_meaning, function_said
from ..jets.retarget import interpreted
from ..kernels import JIT, kernel
from ..native_function import first_error, native_filler, reason
from ..parts.constraints.kind import ConstraintKind
from ..parts.constraints.relation import Located
from ..parts.constraints.time_function import FUNCTION
from .custom import plain_code

_ALONG, _IN_TIME = 12, 13  # passes through the function: along the motion, and in time alone; those before are unit motions


def compile_time_function(name, time_function):
    """(code, keep_alive) of a law that is a function."""
    return _compiled(
        f"constraint {name!r}: its function of time",
        "a number (for a path three)",
        _native_time_function,
        time_function.function,
        time_function.component,
    )


def compile_relation(name, function, rows, home):
    """(code, keep_alive) of a relation's function; `home` are the (R, p) of its two places with all joints at zero."""
    _try_relation(name, function, rows, home)
    needed = "a number" if rows == 1 else f"a tuple of {rows} numbers"
    return _compiled(f"constraint {name!r}: its function phi(poses, t)", needed, _native_relation, function, rows)


def _compiled(what, needed, make, *arguments):
    try:
        return make(*arguments)
    except Exception as error:  # Numba raises whatever it meets in a user's code
        raise ModelError(
            f"{what} cannot be compiled: {reason(error)}. It must return {needed}, using arithmetic and functions of math or numpy "
            "on single numbers; write it so, or set LINKWORK_JIT=0 to run without compiling."
        ) from error


def _try_relation(name, function, rows, home):
    """Call the function once, as it is, where the mechanism stands with all joints at zero."""
    poses = tuple([Located(tuple(map(float, p)), tuple(tuple(map(float, row)) for row in R)) for R, p in home])
    try:
        found = interpreted(function)(poses, 0.0)
        found = tuple(map(float, found)) if hasattr(found, "__len__") else (float(found),)
    except Exception as error:  # whatever a user's function raises
        raise ModelError(
            f"constraint {name!r}: its function phi(poses, t) failed with all joints at zero and t = 0 ({type(error).__name__}: {error}); "
            "it is given poses = (a, b), each with p and R, and must return finite numbers; correct it"
        ) from error
    if len(found) != rows:
        raise ModelError(
            f"constraint {name!r}: its function phi(poses, t) returned {len(found)} numbers, but rows is {rows}; "
            "they must be the same; correct one of them"
        )
    if not all(map(math.isfinite, found)):
        raise ModelError(
            f"constraint {name!r}: its function phi(poses, t) returned {found} with all joints at zero and t = 0; "
            "allowed are finite numbers; correct it, or move the places apart"
        )


# ---- the numbers that a native function fills in; the same source compiled and in plain Python


def _time_function_filler(function, component):
    if component < 0:

        def fill(given, out):
            jet = as_jet(function(Jet(given[0], 1.0, 0.0)))
            out[0], out[1], out[2] = jet.value, jet.first, jet.second
    else:

        def fill(given, out):
            jet = as_jet(function(Jet(given[0], 1.0, 0.0))[component])
            out[0], out[1], out[2] = jet.value, jet.first, jet.second

    return fill


def _relation_filler(function, rows):
    def fill(given, out):
        for motion in range(_IN_TIME + 1):
            a, b = _located(given, 0, motion), _located(given, MARKER, motion)
            found = jets_of(function((a, b), Jet(given[TIME], 1.0 if motion >= _ALONG else 0.0, 0.0)))
            for row in range(rows):
                at = ROW_RESULT * row
                if motion < _ALONG:
                    out[at + motion] = found[row].first
                elif motion == _ALONG:
                    out[at + 12], out[at + 14] = found[row].value, found[row].second
                else:
                    out[at + 13] = found[row].first

    return fill


@kernel(inline=True)
def _rate(given, at, k, motion):
    """Component k (of 12) of the velocities in one pass, which stands in `given[at]`."""
    if motion == _ALONG:
        return given[at]
    return 1.0 if motion == k else 0.0


@kernel(inline=True)
def _column(given, at, w):
    """A column of R as jets: R' = w x R, R'' = w x (w x R)."""
    c = given[at], given[at + 3], given[at + 6]
    d = w[1] * c[2] - w[2] * c[1], w[2] * c[0] - w[0] * c[2], w[0] * c[1] - w[1] * c[0]
    e = w[1] * d[2] - w[2] * d[1], w[2] * d[0] - w[0] * d[2], w[0] * d[1] - w[1] * d[0]
    return Jet(c[0], d[0], e[0]), Jet(c[1], d[1], e[1]), Jet(c[2], d[2], e[2])


@kernel(inline=True)
def _located(given, at, motion):
    """A marker as jets along the motion of one pass: p' = u, p'' = 0, R turning with w."""
    k = 0 if at == 0 else 6
    w = _rate(given, at + 12, k, motion), _rate(given, at + 13, k + 1, motion), _rate(given, at + 14, k + 2, motion)
    u = _rate(given, at + 15, k + 3, motion), _rate(given, at + 16, k + 4, motion), _rate(given, at + 17, k + 5, motion)
    p = Jet(given[at + 9], u[0], 0.0), Jet(given[at + 10], u[1], 0.0), Jet(given[at + 11], u[2], 0.0)
    x, y, z = _column(given, at, w), _column(given, at + 1, w), _column(given, at + 2, w)
    return Located(p, ((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])))


@cached_by_meaning
def _native_time_function(function, component):
    return _native(
        _time_function_filler(differentiable(function), component),
        1,
        3,
        lambda given: _time_function_value(function, component, float(given[0])),
    )


@cached_by_meaning
def _native_relation(function, rows):
    fill = _relation_filler(differentiable(function), rows)
    return _native(fill, GIVEN, ROW_RESULT * rows, lambda given: _relation_values(function, given.tolist()))


def _time_function_value(function, component, t):
    """The value alone, in plain Python: what a law raises, it raises here."""
    found = interpreted(function)(t)
    return float(found if component < 0 else found[component])


def _relation_values(function, given):
    """The values alone, in plain Python."""
    a, b = (given[at : at + MARKER] for at in (0, MARKER))
    return interpreted(function)(
        tuple([Located(tuple(g[9:12]), (tuple(g[:3]), tuple(g[3:6]), tuple(g[6:9]))) for g in (a, b)]), given[TIME]
    )


def _native(fill, given, results, plain):
    """(code, keep_alive) of fill(given, out), which reads `given` numbers and fills `results` numbers; plain(given) raises in plain Python what it raises."""
    if not JIT:
        return plain_code(_guarded(fill, results)), None
    from ..kernels.user_functions import helper

    inner = helper(fill)

    def filled(given, numbers, out):
        inner(given, out)

    made = native_filler(filled, lambda given, numbers, out: plain(given), (given, 0, results))
    return made.address, made


def _guarded(fill, results):
    """Like compiled code, give NaN where plain Python raises."""

    def guarded(given, unused, out):
        try:
            fill(given, out)
        except Exception:
            out[:results] = math.nan

    return guarded


# ---- restoring, and telling functions apart


def _functions(constraints):
    """(part name, block, laws that are functions by their place in the block) of every block, in the order of the tables."""
    for info in constraints:
        if not isinstance(info.kind, ConstraintKind):
            yield info.name, None, ()  # a loop: one weld
            continue
        for block in info.kind.blocks():
            yield (
                info.name,
                block,
                [(k, time_function) for k, time_function in enumerate(block.time_functions) if time_function.kind == FUNCTION],
            )


def recompile(constraints, constraint_tables):
    """Compile the functions of a restored model anew and put their addresses into its tables; returns what must be kept alive."""
    alive = []
    for entry, (name, block, time_functions) in zip(constraint_tables.blocks, _functions(constraints), strict=True):
        for k, time_function in time_functions:
            constraint_tables.time_functions["code"][entry["time_function"] + k], keep = compile_time_function(name, time_function)
            alive.append(keep)
        if block is not None and block.function is not None:
            arguments = _native_relation, block.function, len(block.rows)
            entry["code"], keep = _compiled(f"constraint {name!r}: its function phi(poses, t)", "numbers", *arguments)
            alive.append(keep)
    return alive


def raised_by(model):
    """(whose, the exception) of a function of the model's own that raised, None if there is none."""
    found = ((owner, first_error(address)) for owner, address in functions_of(model)) if JIT else ()
    return next(((owner, error) for owner, error in found if error is not None), None)


def functions_of(model):
    """(whose function, its address) of all functions of users that a model's own kernels call: custom joints, functions of time, relations."""
    custom = (joint for joint in model.joints if joint.kind.custom)
    links = {link: joint.name for joint in custom for link in joint.links}
    for link, name in links.items():
        yield f"joint {name!r}", int(model.tables.generals["code"][model.tables.links["general"][link]])
    for entry, (name, block, time_functions) in zip(model.constraint_tables.blocks, _functions(model.constraints), strict=True):
        for k, _ in time_functions:
            yield f"constraint {name!r}", int(model.constraint_tables.time_functions["code"][entry["time_function"] + k])
        if block is not None and block.function is not None:
            yield f"constraint {name!r}", int(entry["code"])


def functions_said(constraints):
    """All functions of constraints in words that mean the same in every process."""
    said = []
    for name, block, time_functions in _functions(constraints):
        found = [time_function.function for _, time_function in time_functions] + (
            [block.function] if block is not None and block.function is not None else []
        )
        said += [(name, function_said(function)) for function in found]
    return said
