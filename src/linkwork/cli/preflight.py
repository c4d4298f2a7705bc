"""Examinations of a mechanism before it is simulated, each a function that gives findings. One that fails makes those after it pointless."""

import warnings
from dataclasses import dataclass, field
from typing import Any

import linkwork as lw

from ..parts.touching import Touching, falling_text, takes_contact

OK, WARN, FAIL = "ok", "warn", "fail"
INERTIAS = ("inertia", "density", "massless", "dimension")  # kinds of faults
MOST = 8  # names in a list
AGREE, DISAGREE = 1e-8, 1e-4  # relative: solvers that agree to rounding, and that say different things
SPREAD = 1e9  # of masses: beyond it rounding of the heavy ones is seen in the light ones


@dataclass(frozen=True)
class Finding:
    """What one examination found: a mark, its topic, words, and numbers for programs."""

    mark: str
    topic: str
    text: str
    data: dict[str, Any] = field(default_factory=dict)


def examine(source, hold=None):
    """All findings about a Source, in the order of the work. hold: as in Setup.start."""
    mechanism, setup = source.mechanism, source.setup
    yield _notes(mechanism)
    faults = mechanism.faults()
    yield _faults(faults)
    yield _inertias(mechanism, faults)
    yield _reachability(mechanism)
    if faults:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.ContactWarning)  # a finding of its own
        model = mechanism.build()
    yield from _contact(mechanism, model)
    yield from _settings(setup)
    try:
        start, found = _assembly(model, setup, hold)
        yield found
    except lw.LinkworkError as error:
        gaps = getattr(error, "gaps", {})
        yield Finding(FAIL, "assembly", str(error), {"gaps": gaps, "largest_gap": max(gaps.values(), default=None)})
        return
    yield _limits(model, start)
    yield from _mobility(model, start)
    yield _solvers(model, start)


def _notes(mechanism):
    notes = list(getattr(mechanism, "notes", ()))
    lost = [str(note) for note in notes if note.matters]
    data = {"notes": [str(note) for note in notes]}
    if lost:
        return Finding(WARN, "file", f"not all that it says is taken over: {_listed(lost, quote=False, separator='; ')}", data)
    return Finding(OK, "file", "understood" + (f", {len(notes)} harmless notes (`linkwork info` shows them)" if notes else ""), data)


def _faults(faults):
    others = [fault for fault in faults if fault.kind not in INERTIAS]
    data = {"faults": [list(fault) for fault in others]}
    if others:
        return Finding(FAIL, "parts", _listed([fault.message for fault in others], quote=False, separator="\n"), data)
    return Finding(OK, "parts", "names, places, joints, constraints and forces fit together", data)


def _inertias(mechanism, faults):
    wrong = [fault for fault in faults if fault.kind in INERTIAS]
    data = {"faults": [list(fault) for fault in wrong]}
    if wrong:
        return Finding(FAIL, "inertias", _listed([fault.message for fault in wrong], quote=False, separator="\n"), data)
    strange = [body.name for body in mechanism.bodies if body.unphysical]
    massless = [body.name for body in mechanism.bodies if body.is_massless]
    masses = [m for body in mechanism.bodies if not body.is_massless and (m := body.mass_properties().mass) > 0.0] if not faults else []
    data |= {"unphysical": strange, "massless": massless, "mass": sum(masses)}
    if strange:
        return Finding(WARN, "inertias", f"no body can have the inertia of {_listed(strange)}; they were declared unphysical", data)
    if masses and max(masses) > SPREAD * min(masses):
        return Finding(WARN, "inertias", f"masses differ by a factor of {max(masses) / min(masses):.1e}; light bodies lose digits", data)
    words = f"{len(masses)} bodies with mass, {sum(masses):.6g} kg" + (f"; massless: {_listed(massless)}" if massless else "")
    return Finding(OK, "inertias", words, data)


def _reachability(mechanism):
    own = {joint.name for joint in mechanism.joints}
    edges = lw.spanning_forest(mechanism)
    floating = [edge.child_body_name for edge in edges if edge.joint.name not in own]
    grounded = len(edges) > 0 and any(edge.joint.name in own and edge.parent_body_name == "ground" for edge in edges)
    assemblies = len(floating) + grounded
    data = {"assemblies": assemblies, "floating": floating}
    if assemblies > 1:
        return Finding(WARN, "reach", f"{assemblies} separate assemblies; {_listed(floating)} hang on nothing and will fall freely", data)
    if floating:
        return Finding(OK, "reach", f"one assembly, which floats: its root is {floating[0]!r}", data)
    return Finding(OK, "reach", "all bodies are joined to the ground" if edges else "there are no bodies", data)


def _contact(mechanism, model):
    """What touches, if anything may."""
    if not takes_contact(mechanism):
        return
    falling = Touching(mechanism).falling()
    data = {"pairs": len(model.pairs), "falling": falling}
    if falling:
        yield Finding(WARN, "contact", falling_text(falling), data)
    elif not model.pairs:
        yield Finding(
            WARN, "contact", "nothing touches: there are no two shapes that may; m.why_not_touching(a, b) says why two bodies do not", data
        )
    else:
        yield Finding(OK, "contact", f"{len(model.pairs)} pair{'s' * (len(model.pairs) > 1)} of shapes may touch", data)


def _settings(setup):
    """What the file says about a run: can it be done?"""
    if setup.integrator is not None:
        try:
            made = lw.integrator(setup.integrator)
            yield Finding(OK, "integrator", repr(made), {"integrator": repr(made)})
        except (lw.LinkworkError, TypeError) as error:
            yield Finding(FAIL, "integrator", str(error))
    if setup.controllers:
        text = f"{_listed(list(setup.controllers))} need functions in Python, which a file cannot hold; run it with --controllers FILE.py"
        yield Finding(WARN, "controllers", text, {"controllers": list(setup.controllers)})


def _assembly(model, setup, hold):
    """(initial state, finding)."""
    import numpy as np

    said = setup.state(model)
    gap = max(lw.mobility(model, said.q, said.t).open_gaps.values(), default=0.0) if model.nc else 0.0
    start = setup.start(model, hold)
    moved = float(np.abs(lw.difference(model, said.q, start.q)).max(initial=0.0))
    data = {"gap_as_given": gap, "moved": moved, "q": start.q, "v": start.v, "t": start.t}
    if not model.nc:
        return start, Finding(OK, "assembly", "no loops and no constraints to close", data)
    largest = max(lw.mobility(model, start.q, start.t).open_gaps.values(), default=0.0)
    data["largest_gap"] = largest
    closes = "closes; every gap is below 1e-10 m or rad" if largest == 0.0 else f"closes; largest gap {largest:.1e} m or rad"
    if moved > 1e-6:
        text = f"{closes}; joints moved by up to {moved:.3g} (m or rad) from what is given, where the largest gap is {gap:.3g}"
        return start, Finding(OK, "assembly", text, data)
    return start, Finding(OK, "assembly", closes, data)


def _limits(model, start):
    beyond = []
    for joint in model.joints:
        if joint.nq == joint.nv:
            q = start.q[joint.q_index]
            beyond += [joint.name] if ((q < joint.lower) | (q > joint.upper)).any() else []
    if beyond:
        return Finding(WARN, "limits", f"{_listed(beyond)} start beyond their limits", {"beyond": beyond})
    return Finding(OK, "limits", "all joints start within their limits", {"beyond": beyond})


def _mobility(model, start):
    found = lw.mobility(model, start.q, start.t)
    data = {"dof": found.dof, "dof_generic": found.dof_generic, "redundant": found.redundant, "singular": found.singular}
    data["contradictions"] = [str(item) for item in found.contradictions]
    data["nearly_redundant"] = [str(item) for item in found.nearly_redundant]
    moves = bool((abs(start.v) > 1e-12).any()) or bool(found.driven)
    text = str(found).partition(": ")[2]
    if found.contradictions:
        yield Finding(FAIL, "mobility", text, data)
    elif found.singular or found.nearly_redundant or (found.dof == 0 and not moves):
        yield Finding(WARN, "mobility", text, data)
    else:
        yield Finding(OK, "mobility", text, data)


def _solvers(model, start):
    if not model.nc:
        return Finding(OK, "solvers", "a tree: nothing to compare", {})
    found = lw.cross_check(model, start.q, start.v, t=start.t)
    ran = ", ".join(found.reactions)
    data = {"worst": found.worst, "ranks": found.ranks}
    mark = OK if found.worst <= AGREE and len(set(found.ranks.values())) == 1 else WARN if found.worst <= DISAGREE else FAIL
    text = f"{ran} agree to {found.worst:.1e}" if mark == OK else str(found)
    return Finding(mark, "solvers", text, data)


def _listed(items, quote=True, separator=", "):
    shown = separator.join(repr(item) if quote else str(item) for item in items[:MOST])
    return shown + (f"{separator}and {len(items) - MOST} more" if len(items) > MOST else "")
