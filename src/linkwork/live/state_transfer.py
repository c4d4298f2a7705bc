"""From the state of one model to the state of the next, when parts were added, changed or taken away between two instants.

Bodies keep their poses and velocities, those of a joint that takes another kind too. What new joints and constraints forbid is taken away by the
least change in the mass metric:

    positions    min over q   sum_b | X_b(q) - X_b |^2_{I_b}     with all constraints closed           parts fly together, the light ones most
    velocities   M v = sum_b J_b^T I_b V_b + A v_A,  J v = given:  v = v_0 + impulse_response(...)     an inelastic impact: momentum is kept

with I_b the inertia of body b, V_b its velocity before, and A v_A the momentum of the rotors in joints that stay, or become another kind. A body
that flies keeps the velocity of its centre of mass in the world and turns with its spin, so that flights keep linear momentum and kinetic energy,
and the impact all momentum. The second is the first with
velocities in place of displacements, and needs no iteration (Featherstone 1987, section 9.5; Schröder 1990, section 5.4 for the first).
Bodies that an edit does not touch keep their coordinates bit by bit.
"""

from typing import NamedTuple

import numpy as np

from ..analysis.assembly import assemble, project_velocity
from ..analysis.joint_coordinates import coordinates_of, speeds_of
from ..analysis.split_rows import gaps_that_count
from ..constraints.tolerance import largest_gap, row_units
from ..dynamics.configuration import integrate, neutral
from ..dynamics.kinematics import forward_kinematics
from ..errors import AssemblyError
from ..model.model import Model
from ..solvers.delassus.correct import correction
from ..solvers.impulse_response import impulse_response
from ..spatial.pose import Pose
from .moments import Moment

CLOSED = 1e-10  # m or rad: what is nearer needs no flight
FLIGHTS = 60  # iterations of the fit; it converges like Gauss-Newton, within ten where parts nearly meet


class Transferred(NamedTuple):
    """A state that was transferred, the largest shift of a body (m) and turn (rad), and the energy that was lost, J."""

    moment: Moment
    moved: float
    turned: float
    kinetic_lost: float
    potential_lost: float


def transfer_state(old: Moment, model: Model, touched, renamed=None, placed=None, joints=None) -> Transferred:
    """The state of `model` that continues `old`.

    touched: names of bodies that an edit concerns, those that are placed and those of joints that are set among them. renamed: {new name: old
    name}. placed: {body: (Pose, twist)} of bodies that are put somewhere. joints: {joint: (q, v)} of joints that are set, None for what is not.
    Raises AssemblyError where it cannot be put together.
    """
    renamed, joints = renamed or {}, joints or {}
    known = {name: old_bodies[renamed.get(name, name)] for old_bodies in [old.bodies()] for name in _names(model, renamed, old_bodies)}
    known |= placed or {}
    q, v, rotors = _guess(old, model, renamed, known, joints)
    t = old.t
    known = {name: given for name, given in known.items() if name in touched}
    if known or _gap(model, q, t) > CLOSED:
        q = _put_together(model, q, t, known, joints)
    if touched:
        fitted = _velocity(model, q, t, known, v, rotors, joints)
        for joint in model.joints:
            if joint.child in touched or joint.parent in touched:
                v[joint.v_index] = fitted[joint.v_index]
    names = {before: name for name, before in renamed.items()}
    moment = Moment(model, t, q, v, {names.get(name, name): kept for name, kept in old.memory.items()})
    moved, turned = _shift(model, q, known)
    return Transferred(moment, moved, turned, *_energy_lost(moment, known, rotors))


def _names(model, renamed, old_bodies):
    return [body.name for body in model.bodies if renamed.get(body.name, body.name) in old_bodies]


def _energy_lost(moment, known, rotors):
    """Kinetic and potential energy of bodies and rotors as they were, less what they have now, J. Bodies that are new bring theirs along, rotors that are
    new stood still; what is taken away takes its own with it."""
    if not known:
        return 0.0, 0.0
    model, kinetic, potential = moment.model, 0.0, 0.0
    gravity, now = np.asarray(model.gravity), forward_kinematics(model, moment.q, moment.v)
    for name, (X, V) in known.items():
        body = model.body(name)
        I, V_now = body.inertia.matrix, now.velocities[body.index]
        kinetic += 0.5 * float(V @ I @ V - V_now @ I @ V_now)
        fallen = X.act(body.inertia.com) - (now.positions[body.index] + now.rotations[body.index] @ body.inertia.com)
        potential -= body.inertia.mass * float(gravity @ fallen)
    for joint in model.joints:
        was, is_now = rotors.get(joint.name, 0.0), moment.v[joint.v_index]
        kinetic += 0.5 * float((joint.armature * (was**2 - is_now**2)).sum())
    return kinetic, potential


def _guess(old, model, renamed, known, joints):
    """(q, v, {joint that was there: how its rotors turned}): coordinates by name where a joint stayed, from poses where it is new or of another kind."""
    q, v, rotors = neutral(model), np.zeros(model.nv), {}
    was = {} if old.model is None else {joint.name: joint for joint in old.model.joints}
    ground = (Pose(), np.zeros(6))
    for joint in model.joints:
        own_parent, own_child = (joint.child, joint.parent) if joint.backwards else (joint.parent, joint.child)
        before = was.get(_old_name(joint, renamed))
        same = before is not None and _same_joint(joint, before, renamed)
        if same:
            q[joint.q_index], v[joint.v_index] = old.q[before.q_index], old.v[before.v_index]
        a, b = (ground if name == "ground" else known.get(name) for name in (own_parent, own_child))
        if a is not None and b is not None and (not same or joint.kind.free):
            X_F, X_M = a[0] @ joint.parent_pose, b[0] @ joint.child_pose
            relative = X_F.inverse() @ X_M
            near = old.q[before.q_index] if before is not None and before.nq == joint.nq and not same else None
            q_new = coordinates_of(joint.kind, relative, float(model.constraint_tables.length[0]), near)
            if not same or np.abs(_misfit(relative, joint, q[joint.q_index])) > 1e-9:
                q[joint.q_index] = q_new
                V = joint.child_pose.inverse().adjoint @ b[1] - (relative.inverse() @ joint.parent_pose.inverse()).adjoint @ a[1]
                v[joint.v_index] = speeds_of(joint.kind, q_new, V)
        if before is not None:  # its rotors turn as it does, also if it has become another kind
            rotors[joint.name] = v[joint.v_index].copy()
        set_q, set_v = joints.get(joint.name, (None, None))
        if set_q is not None:
            q[joint.q_index] = set_q
        if set_v is not None:
            v[joint.v_index] = set_v
    return q, v, rotors


def _misfit(relative, joint, q):
    """How far a free joint's coordinates are from where its body is."""
    here = Pose(q[:3], q[3:]) if joint.kind.free else relative
    return float(np.abs((here.inverse() @ relative).log()).max())


def _old_name(joint, renamed):
    if joint.kind.free and joint.name.endswith(".free") and joint.name[:-5] in renamed:
        return renamed[joint.name[:-5]] + ".free"
    return renamed.get(joint.name, joint.name)


def _same_joint(new, old, renamed):
    ends = [renamed.get(name, name) for name in (new.parent, new.child)]
    given = ends[::-1] if new.backwards != old.backwards else ends
    return (
        type(new.kind) is type(old.kind)
        and new.kind.elements == old.kind.elements
        and (not new.kind.custom or new.kind == old.kind)
        and given == [old.parent, old.child]
        and new.parent_pose == old.parent_pose
        and new.child_pose == old.child_pose
    )


def _gap(model, q, t):
    """The largest gap that counts."""
    if not model.nc:
        return 0.0
    return float(largest_gap(model, gaps_that_count(model, q, t, correction(model, q, t=t)[1], CLOSED * row_units(model))))


def _put_together(model, q, t, known, joints):
    """Positions: the fit in the mass metric, iterated, loops closed at every turn."""
    held = [name for name, (given, _) in joints.items() if given is not None]
    if _shift(model, q, known)[0] <= CLOSED and _gap(model, q, t) <= CLOSED:
        return q
    best, last = None, np.inf
    for _ in range(FLIGHTS):
        if _gap(model, q, t) > CLOSED:
            q = _closed(model, q, t, held)
        if held:
            return q
        wanted = _displacements(model, q, known)
        size = _weighted(model, wanted)
        if best is None or size < best[1]:
            best = q, size
        if size > last * (1.0 - 1e-9):
            break
        last = size
        step = impulse_response(model, q, None, _impulses(model, wanted))
        reach = float(np.abs(step).max(initial=0.0))
        if reach < CLOSED:
            break
        q = integrate(model, q, step * min(1.0, 1.0 / reach))
    return best[0]


def _closed(model, q, t, held):
    """Loops closed; where all that was set cannot stay, nothing else is held."""
    try:
        return assemble(model, q, t=t, hold=held, limits=False)
    except AssemblyError:
        if held:
            raise
        return assemble(model, q, t=t, limits=False, max_iterations=600)


def _displacements(model, q, known):
    """{body: log of the way from where it is to where it was}, in its own frame."""
    k = forward_kinematics(model, q)
    found = {}
    for name, (X, _) in known.items():
        b = model.body(name).index
        found[name] = (Pose._trusted(k.rotations[b].copy(), k.positions[b].copy()).inverse() @ X).log()
    return found


def _impulses(model, twists):
    return {name: model.body(name).inertia.matrix @ V for name, V in twists.items() if model.body(name).inertia.mass > 0.0}


def _weighted(model, twists):
    return sum(float(V @ model.body(name).inertia.matrix @ V) for name, V in twists.items())


def _velocity(model, q, t, known, v, rotors, joints):
    """Velocities: an inelastic impact. Joints that are set keep what they are given."""
    held = {name: given for name, (_, given) in joints.items() if given is not None}
    if held:
        return project_velocity(model, q, v, t=t, hold=list(held))
    start = project_velocity(model, q, np.zeros(model.nv), t=t) if model.nc else np.zeros(model.nv)
    k = forward_kinematics(model, q, start)
    twists = {}
    for name, (X, V) in known.items():
        body = model.body(name)
        twists[name] = _flown(V, body.inertia.com, k.rotations[body.index].T @ X.rotation) - k.velocities[body.index]
    momenta = np.zeros(model.nv)
    for joint in model.joints:
        if joint.name in rotors:
            momenta[joint.v_index] = joint.armature * (rotors[joint.name] - start[joint.v_index])
    return start + impulse_response(model, q, momenta, _impulses(model, twists))


def _flown(V, com, turn):
    """The velocity of a body that was turned: the spin turns with it, the velocity of the centre of mass does not. turn: old axes in new ones."""
    spin = np.cross(V[:3], com)
    return np.concatenate([V[:3], turn @ (V[3:] + spin) - spin])


def _shift(model, q, known):
    """The largest distance and angle between where bodies are and where they were."""
    moved = turned = 0.0
    k = forward_kinematics(model, q) if known else None
    for name, (X, _) in known.items():
        b = model.body(name).index
        moved = max(moved, float(np.linalg.norm(k.positions[b] - X.translation)))
        turned = max(turned, float(np.linalg.norm(Pose._trusted(k.rotations[b].T @ X.rotation, np.zeros(3)).log()[:3])))
    return moved, turned
