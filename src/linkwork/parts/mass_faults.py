"""Faults of what is said about a body's mass: contradictions, impossible inertias, shapes that have none."""

import math

import numpy as np

from ..errors import ModelError
from ..spatial.rigid_inertia import POINT, TOLERANCE, Inertia
from .body import NO_TENSOR, ORIGIN
from .shapes import Mesh, MeshFile

# A principal moment below this part of the largest counts as none: nothing resists a turn about its axis.
ZERO = 1e-12
# Masses (kg) and moments (kg m^2) from here on are refused: their squares overflow, and what moves them is no number any more.
IMMENSE = 1e150
_REMEDY = "correct mass, com or inertia (about the centre of mass, in body axes)"


def mass_faults(bodies):
    """(faults, weak): lists of (kind, message) by place in `bodies`, and the places of bodies whose inertia is not positive definite."""
    faults, weak, explicit, solids = {}, set(), [], {}
    with np.errstate(all="ignore"):  # sizes beyond all measure are reported
        for i, body in enumerate(bodies):
            found = list(_contradictions(body))
            if not found and body.inertia is not None:
                explicit.append(i)
            elif not found and body.shape is not None and not body.is_massless:
                found = list(_solid_faults(body, solids))
            elif not found:
                weak.add(i)
                mass, com = body.mass or 0.0, body.com or ORIGIN
                if not 0.0 <= mass < IMMENSE or not all(map(math.isfinite, com)) or not mass * math.hypot(*com) ** 2 < IMMENSE:
                    found = _inertia_faults(body)
            if found:
                faults[i] = found
    suspects, without = _judge([bodies[i] for i in explicit])
    weak.update(explicit[k] for k in without)
    for k in suspects:
        body = bodies[explicit[k]]
        found = [] if body.unphysical and _is_usable(body) else _inertia_faults(body)
        if found:
            faults[explicit[k]] = found
    return faults, weak


def _contradictions(body):
    """Things said that cannot hold together."""
    if body.density is not None:
        for other in ("mass", "inertia"):
            if getattr(body, other) is not None:
                yield "density", f"density and {other} are both given; either decides the mass; leave one of them out"
        if body.shape is None:
            yield (
                "density",
                f"density is {body.density:g} kg/m^3, but it has no shape; a density needs a volume; give a shape, or mass and inertia",
            )
        if not 0.0 < body.density < math.inf:
            yield "density", f"density is {body.density:g} kg/m^3; allowed is a finite number above 0; correct it, or give the mass"
    if body.inertia is not None and body.mass is None and body.density is None:
        yield "inertia", "inertia is given without a mass; a body with inertia has mass; give both"
    from_shape = body.inertia is None and body.shape is not None and not body.is_massless
    if from_shape and body.com is not None:
        yield (
            "inertia",
            "com is given, but mass and shape decide where it is; "
            "give the inertia too, or leave com out and place the shape with at=Pose(...)",
        )
    if from_shape and isinstance(body.shape, MeshFile):
        yield (
            "inertia",
            f"its only shape is the file {body.shape.path!r}: files are read for contact and pictures when the model is built, not for inertias; "
            "give mass, com and inertia, or a Mesh(vertices, faces) or another solid shape",
        )


def _solid_faults(body, known):
    """Why a shape cannot give this body its inertia. `known` keeps volume and moment per mass of shapes that occurred before."""
    if body.mass is not None and not 0.0 <= body.mass < math.inf:
        yield "inertia", f"the mass is {body.mass:g} kg; allowed is a finite number of at least 0; correct it"
        return
    if id(body.shape) not in known:
        try:
            known[id(body.shape)] = _volume_and_spread(body.shape)
        except ModelError as error:
            if next(body.shape.faults(), None):
                return  # reported with the shape
            yield "inertia", f"its {type(body.shape).__name__} gives no inertia: {error}; or give mass, com and inertia"
            return
    volume, spread = known[id(body.shape)]
    mass = volume * body.density if body.mass is None else body.mass
    if not 0.0 < volume * (body.density or 1.0) < math.inf and not isinstance(body.shape, Mesh):
        yield "dimension", f"its {type(body.shape).__name__} has a volume of {volume:g} m^3; that cannot be computed with; correct its size"
    elif not max(mass, mass * spread) < IMMENSE:
        said = f"density is {body.density:g} kg/m^3" if body.mass is None else f"mass is {body.mass:g} kg"
        yield (
            "inertia",
            f"{said}, which with its {type(body.shape).__name__} gives {_immense(mass, mass * spread)}; correct it, or the size of the shape",
        )


def _volume_and_spread(shape):
    """(volume, the largest moment about the body's origin per mass in m^2)."""
    volume, com, tensor = shape.solid()
    x, y, z = shape.at.act(com)
    return volume, float(np.abs(tensor).max()) / volume + x * x + y * y + z * z if volume else math.inf


def _immense(mass, moment):
    return (
        f"a mass of {mass:g} kg and moments of inertia up to {moment:g} kg m^2; allowed is less than {IMMENSE:g} for both, to compute with"
    )


def _inertia_faults(body):
    """What the inertia itself has to say."""
    mass, com, tensor = body.mass, body.com, body.inertia
    try:
        # A point mass and a thin rod are idealisations that move well on most joints; massless.py finds the others.
        texts = Inertia(0.0 if mass is None else mass, com or ORIGIN, tensor or NO_TENSOR).faults(strict=False)
        if not texts and not _is_usable(body):
            texts = [f"what is given means {_immense(mass, _moment(mass, com or ORIGIN, tensor or NO_TENSOR))}"]
    except ModelError as error:
        texts = [str(error)]
    remedy = f"{_REMEDY}, or say unphysical=True to have it so" if _is_usable(body) else _REMEDY
    return [("inertia", f"{text} {remedy[0].upper()}{remedy[1:]}" if text.endswith("?") else f"{text}; {remedy}") for text in texts]


def _is_usable(body):
    """Can one at least compute with it? Whether the mechanism then moves is found by massless.py."""
    mass = 0.0 if body.mass is None else body.mass
    return 0.0 <= mass < IMMENSE and bool(_moment(mass, body.com or ORIGIN, body.inertia or NO_TENSOR) < IMMENSE)


def _moment(mass, com, tensor):
    """A bound of the moments about the body's origin; for many bodies at once, too."""
    return np.abs(tensor).max(axis=(-2, -1)) + mass * (np.asarray(com) ** 2).sum(axis=-1)


def _judge(bodies):
    """(suspects, without): places of bodies that may be impossible, and of those whose inertia is not positive definite; all at once."""
    if not bodies:
        return [], []
    mass = np.array([body.mass for body in bodies])
    com = np.array([body.com or ORIGIN for body in bodies])
    T = np.array([body.inertia for body in bodies])
    with np.errstate(all="ignore"):
        finite = (mass < IMMENSE) & (_moment(mass, com, T) < IMMENSE)
    T = np.where(finite[:, None, None], T, 0.0)
    low, mid, high = np.linalg.eigvalsh(T).T
    largest = np.abs(T).max(axis=(1, 2))
    even = np.abs(T - T.transpose(0, 2, 1)).max(axis=(1, 2)) <= 0.5 * TOLERANCE * largest
    point = largest <= POINT**2 * mass
    good = finite & (mass > 0.0) & even & (point | (low >= 0.0) & (low + mid >= (1.0 - 0.5 * TOLERANCE) * high))
    return np.flatnonzero(~good), np.flatnonzero(~(mass > 0.0) | point | ~(low > ZERO * high))
