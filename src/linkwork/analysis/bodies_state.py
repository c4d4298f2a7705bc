"""Coordinates and velocities of a model from poses and velocities of its bodies.

    positions    min over q   sum_b | X_b(q)^-1 X_b |^2             with all constraints closed      (inverse_kinematics.py)
    velocities   min over v   sum_b | J_b(q) v - V_b |^2            with  G v + phi_t = 0:   v = v_c + N z,   J N z = V - J v_c

A joint between two bodies that are both given starts where their relative pose puts it (joint_coordinates.py), so that no other way of assembling the same
bodies is found. Where no state of a body is given, its joints stay near where they start, and as slow as the others allow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..arguments import checked, need_array
from ..constraints.jacobian import constraint_jacobian
from ..dynamics.configuration import neutral
from ..dynamics.jacobian import jacobian
from ..dynamics.kinematics import forward_kinematics
from ..errors import AssemblyError, StateError, UnknownNameError
from ..model.model import by_name, need_model
from ..model.state import State
from ..spatial.pose import Pose
from ..spatial.twist import Motion
from .assembly import step_units
from .inverse_kinematics import Target, inverse_kinematics
from .joint_coordinates import coordinates_of
from .split_rows import split_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from ..model.model import Model

FITTED = 1e-12  # rad, lengths of the mechanism: what the fit goes on to, if it can
LEAST = 1e-9  # of the largest singular value: motions that what was said of bodies does not tell apart better are not moved


class Miss(NamedTuple):
    """How far a body is from what was asked for: m, rad, m/s, rad/s.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("slider")
    >>> _ = m.add_joint("rail", lw.Prismatic(axis=(1, 0, 0)), m.ground, m.add_body("block", mass=1.0, inertia=(1, 1, 1)))
    >>> found = lw.state_from_bodies(m.build(), {"block": lw.Pose((0.5, 0.2, 0))}, strict=False)
    >>> round(found.misses["block"].distance, 6)  # m: the rail does not lead there
    0.2
    """

    distance: float
    angle: float
    speed: float
    turn_rate: float


class BodiesState(NamedTuple):
    """A state (q, v at time t) fitted to bodies, and by how much each of these misses what was asked of it, by name.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> found = lw.state_from_bodies(m.build(), {"bob": lw.Pose.from_rpy(0, 0.3, 0)})
    >>> found.q.round(9).tolist(), found.misses["bob"].angle < 1e-9
    ([0.3], True)
    """

    t: float
    q: np.ndarray
    v: np.ndarray
    misses: dict[str, Miss]

    @property
    def state(self) -> State:
        """The same as a State."""
        return State(self.t, self.q, self.v)

    @property
    def worst(self) -> str | None:
        """The body that misses most; None if none was asked for."""
        return max(self.misses, key=lambda name: max(self.misses[name]), default=None)


# parameters: options of a public function, given by name
@checked(t="time", axes="word", strict="flag", tolerance="size")
def state_from_bodies(
    model: Model,
    poses: Mapping[Any, Any] | None = None,
    velocities: Mapping[Any, Any] | None = None,
    *,
    q: ArrayLike | None = None,
    t: float = 0.0,
    axes: str = "body",
    strict: bool = True,
    tolerance: float = 1e-6,
) -> BodiesState:
    """The state of a model in which bodies (or frames) are where they are said to be, and move so.

    Args:
        poses: {body: Pose, position (3), or x y z qw qx qy qz (7)} in the world, as many bodies as are known; bodies and frames by name or as
            themselves, or places on them.
        velocities: {body: Motion or [w; u] (6), or u (3) alone}, w angular velocity (rad/s), u velocity of its origin (m/s). None: at rest, but for
            prescribed motion.
        q: coordinates to start from (nq,), for bodies without a given state, and to distinguish several ways to be there, and whole turns.
        axes: of the velocities: "body" (the body's own, as Kinematics.velocities has them) or "world".
        strict: refuse what cannot be met to the tolerance (rad, lengths of the mechanism; of velocities, of the fastest); False gives the nearest
            state, and says what it misses.
    Returns:
        BodiesState: t, q, v, and `misses` by name. All constraints hold.
    Raises:
        AssemblyError: with strict, if a body cannot have the given pose or velocity; `gaps` has by how much, by name, `q` the nearest pose.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1e-3, 1e-3, 1e-3))
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground, bob)
    >>> model = m.build()
    >>> found = lw.state_from_bodies(model, {"bob": lw.Pose.from_rpy(0, 0.3, 0)}, {"bob": (0, 2.0, 0, 0, 0, 0)})
    >>> found.q.round(9).tolist(), found.v.round(9).tolist()
    ([0.3], [2.0])
    """
    need_model(model)
    if axes not in ("body", "world"):
        raise StateError(f"axes: found {axes!r}; allowed are 'body' and 'world'", "axes")
    targets = {name: _target(model, name, given) for name, given in _given("poses", poses).items()}
    twists = {name: _twist(model, name, given) for name, given in _given("velocities", velocities).items()}
    start = neutral(model) if q is None else need_array("q", q, f"{model.nq} finite numbers")
    if start.shape != (model.nq,) or not np.isfinite(start).all():
        raise StateError(f"q: found shape {start.shape}; allowed are {model.nq} finite numbers", "q")
    found = _positions(model, targets, _guess(model, targets, start, q is not None), t)
    v = _velocities(model, found, twists, t, axes)
    made = BodiesState(float(t), found, v, _misses(model, found, v, targets, twists, axes))
    if strict:
        fastest = [
            np.abs(v) / step_units(model),
            *(np.abs(np.nan_to_num(x)) / np.repeat([1.0, model.constraint_tables.length[0]], 3) for x in twists.values()),
        ]
        _refuse_misses(model, made, tolerance, max(float(x.max(initial=0.0)) for x in fastest))
    return made


def _given(what: str, given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise StateError(f"{what}: found a {type(given).__name__}; allowed is {{name of a body: value}}; give one", what)
    return by_name(what, given)


def _numbers(what: str, name: str, given: Any, sizes: tuple[int, int]) -> NDArray[np.float64]:
    allowed = " or ".join(map(str, sizes))
    values = need_array(f"{what}[{name!r}]", given, f"{allowed} finite numbers")
    if values.ndim != 1 or len(values) not in sizes or not np.isfinite(values).all():
        raise StateError(f"{what}[{name!r}]: found {given!r}; allowed are {allowed} finite numbers", what)
    return values


def _target(model: Model, name: str, given: Pose | list[float] | tuple[float, ...]) -> Any:
    """A Target of inverse kinematics."""
    _known(model, name)
    if isinstance(given, Pose):
        return Target(name, given.translation, given.rotation)
    values = _numbers("poses", name, given, (3, 7))
    return Target(name, values[:3], Pose(values[:3], values[3:]).rotation if len(values) == 7 else None)


def _twist(model: Model, name: str, given: Any) -> NDArray[np.float64]:
    """[w; u], with NaN where nothing is given."""
    _known(model, name)
    values = _numbers("velocities", name, [*given.angular, *given.linear] if isinstance(given, Motion) else given, (3, 6))
    return values if len(values) == 6 else np.concatenate([np.full(3, np.nan), values])


def _known(model: Model, name: str) -> None:
    try:
        model.frame(name)
    except UnknownNameError:
        raise UnknownNameError("body or frame", name, [body.name for body in model.bodies]) from None


def _guess(model: Model, targets: dict[str, Any], q: NDArray[np.float64], near: bool) -> NDArray[np.float64]:
    """Coordinates from relative poses where both sides of a joint are given."""
    known = {name: Pose(target.position, target.rotation) for name, target in targets.items() if target.rotation is not None}
    known["ground"] = Pose()
    for joint in model.joints:
        parent, child = (joint.child, joint.parent) if joint.backwards else (joint.parent, joint.child)
        if parent in known and child in known:
            relative = (known[parent] @ joint.parent_pose).inverse() @ (known[child] @ joint.child_pose)
            q[joint.q_index] = coordinates_of(
                joint.kind, relative, float(model.constraint_tables.length[0]), q[joint.q_index] if near else None
            )
    return q


def _positions(model: Model, targets: dict[str, Any], q: NDArray[np.float64], t: float) -> NDArray[np.float64]:
    if targets:
        return inverse_kinematics(model, q, list(targets.values()), limits=False, t=t, tolerance=FITTED, restarts=0).q
    if model.nc:
        from .assembly import assemble

        return assemble(model, q, t=t, limits=False)
    return q


def _velocities(model: Model, q: NDArray[np.float64], twists: dict[str, NDArray[np.float64]], t: float, axes: str) -> NDArray[np.float64]:
    """Least squares on the velocities that the constraints allow; where these say nothing, the least."""
    start, unit = np.zeros(model.nv), step_units(model)
    N = np.diag(unit)
    if model.nc:
        rows = constraint_jacobian(model, q, start, t)
        own = split_rows(model, q, t).independent
        U, s, Vt = np.linalg.svd(rows.J[own] * unit)
        start = -unit * (Vt[: len(own)].T @ ((U.T @ rows.phi_dot[own]) / s))
        N = unit[:, None] * Vt[len(own) :].T
    if not twists or not N.shape[1]:
        return start
    J = np.concatenate([jacobian(model, q, name, axes=axes) for name in twists])
    wanted = np.concatenate(list(twists.values()))
    said = np.isfinite(wanted)
    weights = np.tile(np.repeat([1.0, 1.0 / float(model.constraint_tables.length[0])], 3), len(twists))[said]
    z = np.linalg.lstsq(weights[:, None] * (J[said] @ N), weights * (wanted[said] - J[said] @ start), rcond=LEAST)[0]
    return start + N @ z


def _misses(
    model: Model, q: NDArray[np.float64], v: NDArray[np.float64], targets: dict[str, Any], twists: dict[str, NDArray[np.float64]], axes: str
) -> dict[str, Miss]:
    k, misses = forward_kinematics(model, q, v), {}
    for name in dict.fromkeys((*targets, *twists)):
        target, twist = targets.get(name), twists.get(name)
        shift = 0.0 if target is None else float(np.linalg.norm(k.position(name) - target.position))
        turn = 0.0
        if target is not None and target.rotation is not None:
            turn = float(np.linalg.norm(Pose(rotation=k.rotation(name).T @ target.rotation).log()[:3]))
        off = np.zeros(6) if twist is None else np.nan_to_num(k.velocity(name, axes) - twist)
        misses[name] = Miss(shift, turn, float(np.linalg.norm(off[3:])), float(np.linalg.norm(off[:3])))
    return misses


def _refuse_misses(model: Model, made: BodiesState, tolerance: float, fastest: float) -> None:
    """fastest: 1/s, of all motion that is given or found."""
    units, length = ("m", "rad", "m/s", "rad/s"), float(model.constraint_tables.length[0])
    allowed = tolerance * np.array([length, 1.0, length * fastest, fastest])
    wrong = {name: miss for name, miss in made.misses.items() if (np.array(miss) > allowed).any()}
    if not wrong:
        return
    said = [
        f"{name!r} by " + " and ".join(f"{x:.3g} {u}" for x, u, most in zip(miss, units, allowed, strict=True) if x > most)
        for name, miss in wrong.items()
    ]
    shown = ", ".join(said[:6]) + (f" and {len(said) - 6} more" if len(said) > 6 else "")
    raise AssemblyError(
        f"model {model.name!r}: its joints and constraints do not let bodies be there, or move so: {shown}; allowed is {tolerance:g}; correct what was "
        "given, or take the nearest state with strict=False, which says what it misses",
        gaps={name: max(miss) for name, miss in wrong.items()},
        q=made.q,
    )
