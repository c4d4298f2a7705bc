"""Gravity and air for the whole mechanism. Air slows every body down so that all motion dies away within a given time."""

import numpy as np

import linkwork as lw

from .tools import free_name

DOWN = (0.0, 0.0, -9.81)
AIR = "air "  # names of such forces begin with it


def air_of(body, settle) -> lw.ViscousDamping:
    """Damping that a single body alone would come to rest by, in `settle` seconds (to a third in each)."""
    inertia = body.mass_properties()
    mass, turning = float(inertia.mass), float(np.trace(np.asarray(inertia.tensor)) / 3.0)
    return lw.ViscousDamping(linear=mass / settle, angular=max(turning, 1e-9 * mass) / settle)


def air_forces(mechanism) -> list:
    """The forces of the air, by their names and kinds."""
    return [force for force in mechanism.forces if force.name.startswith(AIR) and isinstance(force.kind, lw.ViscousDamping)]


def still_air(mechanism) -> float | None:
    """In how many seconds motion dies away, None without air."""
    for force in air_forces(mechanism):
        if force.on and force.a is not None and force.kind.linear:
            return float(mechanism.body(force.a.name).mass_properties().mass / force.kind.linear)
    return None


def let_air(live, settle):
    """Air around every body, or none of it: settle in seconds, None for none."""
    if settle is not None and not 0.0 < settle < float("inf"):
        raise lw.StudioError(f"air: found {settle!r} s; allowed is a number above 0; give one")
    words = "no air" if settle is None else f"air that calms within {settle:g} s"
    with live.edit(words, together=("air",)) as m:
        for force in air_forces(m.mechanism):
            m.remove(force.name)
        for body in m.mechanism.bodies if settle is not None else ():
            if not body.is_massless:
                m.add_force(free_name(m.mechanism, AIR + body.name), air_of(body, settle), body.name)


def is_weightless(mechanism) -> bool:
    return not any(mechanism.gravity)


def let_gravity(live, on, last=DOWN):
    """Gravity on, as it was last, or off."""
    live.change_gravity(tuple(last) if on else (0.0, 0.0, 0.0))
