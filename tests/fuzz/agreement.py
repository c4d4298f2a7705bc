"""What is compared in one state of a random mechanism: every way to an answer with the others, and with a referee that shares nothing with them."""

import warnings
from typing import NamedTuple

import numpy as np

import linkwork as lw
from linkwork.analysis.split_rows import split_rows

from .. import reference
from ..laws.mechanisms import cam_motion, cam_pose, cam_rate, crane_motion, crane_pose, crane_rate
from ..laws.test_batch_laws import ALL
from .further import hold, on_egg, swing

SOLVERS = ("sparse", "articulated", "propagation")
# Rounding of a solve, a condition number of 1e6 included. Accelerations at the limit of what the constraints determine lose more, and have a warning.
SOLVED = 1e-8
EPS = float(np.finfo(float).eps)
OTHER_ROWS = 10.0  # of the sine by which a row is nearly redundant: what leaving out another one of its set changes
IDENTITY = 1e-11  # sums of a few hundred terms, some of which cancel (the rotor of a gear of 60 counts 3600 times)
BATCH = 1e-12  # lanes and single states round alike: sums of a few hundred terms of one size
BALANCED = 1e-5  # of the forces: what `equilibrium` says it leaves at most, times ten for the pose being rounded
SEEN = 1e-5  # m, rad and their rates: ten times what `state_from_bodies` promises
SOLVE = ("forward", "inverse_mass", "impulse", "inverse_inertia", "hybrid")  # calls whose results come out of a division by the mass matrix
WARNINGS = (lw.ConstraintWarning, lw.SingularPoseWarning, RuntimeWarning)


class Finding(NamedTuple):
    """`kind`: "silent", "raw", "told" or "loud" (tests/fuzz/__init__.py); `check`: which comparison; `text`: what was seen."""

    kind: str
    check: str
    text: str


def first_line(error):
    return str(error).split("\n")[0][:300]


class Answer(NamedTuple):
    """A value, and what was said with it: warnings, or the error in its place. `refused`: it was a ModelError, before anything was computed."""

    value: object
    said: str
    refused: bool = False


def asked(function, *arguments, **options):
    """An answer, or what was said instead of one."""
    with warnings.catch_warnings(record=True) as heard, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            value = function(*arguments, **options)
        except lw.LinkworkError as error:
            return Answer(None, first_line(error), isinstance(error, lw.ModelError))
    return Answer(value, "; ".join(first_line(w.message) for w in heard if issubclass(w.category, WARNINGS)))


# -------------------------------------------------------------------------------------------------------------- one state


def accelerations(case, model):
    """All solvers, one state and a batch of it, and two referees: dense linear algebra on the rows, and on maximal coordinates."""
    q, v = case.state(model)
    tau = np.random.default_rng(case.seed).normal(size=model.nv)
    answers = {s: asked(lw.forward_dynamics, model, q, v, tau, solver=s) for s in (SOLVERS if model.nc else ("auto",))}
    answers["batch"] = asked(lambda: lw.forward_dynamics(model, np.tile(q, (3, 1)), np.tile(v, (3, 1)), tau)[1])
    if not case.mechanism.constraints and not case.mechanism.forces:
        answers["referee by bodies"] = Answer(_referee(case.mechanism, model, q, v, tau), "")
    dense, doubt = dense_accelerations(model, q, v, tau)
    answers["referee by rows"] = Answer(dense, "")
    said = "; ".join(f"{name}: {answer.said}" for name, answer in answers.items() if answer.said)
    found = [Finding("loud", "accelerations", said)] if said and case.well_posed else []
    return found + _differences("accelerations", answers, max(SOLVED, doubt))


def dense_accelerations(model, q, v, tau):
    """(vdot, doubt): M vdot + bias = tau + J^T lambda, J vdot + gamma = 0 by the null space N of J; and what sixteen digits leave open of it.

    Rows are those that the rule of rank takes (docs/decisions/0015); all else is dense linear algebra. doubt: eps times the condition numbers of N^T M N and
    of J J^T (solvers that square J have no better), and the sine of rows that are nearly redundant.
    """
    joint_forces, wrenches = lw.applied_forces(model, q, v)
    force = tau + joint_forces - lw.bias_force(model, q, v, wrenches)
    M = lw.mass_matrix(model, q)
    if not model.nc:
        return np.linalg.solve(M, force), EPS * np.linalg.cond(M)
    rows, split = lw.constraint_jacobian(model, q, v), split_rows(model, q)
    own, unit = split.independent, np.where(split.arrays.reach > 0.0, split.arrays.reach, 1.0)  # velocities by their reach
    size = split.arrays.natural[own]
    U, sizes, Vt = np.linalg.svd(rows.J[own] * unit / size[:, None])
    M, force, N = unit[:, None] * M * unit, unit * force, Vt[len(own) :].T
    vdot = Vt[: len(own)].T @ ((U.T @ (-rows.gamma[own] / size)) / sizes)
    doubt = EPS * (sizes[0] / sizes[-1]) ** 2 if len(own) else 0.0
    if N.shape[1]:
        reduced = N.T @ M @ N
        vdot, doubt = vdot + N @ np.linalg.solve(reduced, N.T @ (force - M @ vdot)), doubt + EPS * np.linalg.cond(reduced)
    return unit * vdot, doubt + OTHER_ROWS * np.max(split.sine[split.dependent], initial=0.0)


def _referee(mechanism, model, q, v, tau):
    snapshot = reference.of_model(mechanism, model, q, v)
    return reference.as_vector(model, reference.solve(snapshot, reference.by_joint(model, tau)).vdot)


def _differences(check, answers, tolerance):
    """A silent finding for the largest difference beyond tolerance of two answers with which nothing was said."""
    values = {name: answer.value for name, answer in answers.items() if answer.value is not None and not answer.said}
    scale = 1.0 + max((float(np.max(np.abs(x), initial=0.0)) for x in values.values()), default=0.0)
    names, worst = list(values), (0.0, "")
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            error = float(np.max(np.abs(values[a] - values[b]), initial=0.0)) / scale
            worst = max(worst, (error if error == error else np.inf, f"{a} and {b}"))
    if worst[0] <= tolerance:
        return []
    return [Finding("silent", check, f"{worst[1]} differ by {worst[0]:.2g}, relative to the largest")]


def inverse(case, model):
    """Forward dynamics undoes inverse dynamics, in a tree."""
    if model.nc:
        return []
    q, v = case.state(model)
    vdot = np.random.default_rng(case.seed).normal(size=model.nv)
    back = lw.forward_dynamics(model, q, v, lw.inverse_dynamics(model, q, v, vdot, forces=False), forces=False)
    return _differences(
        "inverse", {"given": Answer(vdot, ""), "found": Answer(back, "")}, max(SOLVED, EPS * np.linalg.cond(lw.mass_matrix(model, q)))
    )


def questions(case, model):
    """Questions about one state answer, in numbers that are finite and in words; of a mechanism that is well posed a refusal is told."""
    q, v = case.state(model)
    found = []
    for ask in (mobility_text, reactions_text, cross_check_text, energies, momenta):
        answer = asked(ask, model, q, v)
        if answer.value is None and case.well_posed:
            found.append(Finding("loud", f"questions, {ask.__name__}", answer.said))
        elif isinstance(answer.value, np.ndarray) and not np.isfinite(answer.value).all():
            found.append(Finding("silent", f"questions, {ask.__name__}", f"found {answer.value}"))
    found += [*_equilibrium(model, q), *_from_bodies(model, q, v)]
    text = asked(lw.to_toml, case.mechanism, functions=FUNCTIONS)
    if text.value is not None and lw.from_toml(text.value, functions=FUNCTIONS) != case.mechanism:
        found.append(Finding("silent", "questions, file", "a mechanism is another one after it was written and read"))
    return found


def _equilibrium(model, q):
    """A random mechanism may have none; one that is found must be one: what constraints allow does not accelerate, but for rounding of its forces."""
    found = asked(lw.equilibrium, model, q).value
    rest = np.zeros(model.nv)
    if found is None or (model.nc and np.abs(lw.constraint_jacobian(model, found.q, rest).gamma).max() > 0.0):
        return []  # none, or motion is prescribed
    if any(np.isfinite([*joint.lower, *joint.upper]).any() for joint in model.joints):
        return []  # stops act in statics, not in forward dynamics
    answer = asked(lw.forward_dynamics, model, found.q, rest)
    if answer.value is None or answer.said:
        return []
    size = _size_of_forces(model, found.q, rest)
    left = lw.mass_matrix(model, found.q) @ answer.value @ answer.value / max(np.abs(answer.value).max(initial=0.0), 1e-300)
    if abs(left) <= BALANCED * (size + 1e-12):
        return []
    return [Finding("silent", "questions, equilibrium", f"{left:.2g} N or N m stay unbalanced where forces are {size:.2g}")]


def _size_of_forces(model, q, rest):
    """N and N m: what balances in a pose, term by term. Weights at 1 m, since in equilibrium the forces of gravity on the joints of a tree are rounding,
    and no measure of what they are sums of (seed 500411)."""
    joint_forces, wrenches = lw.applied_forces(model, q, rest)
    weights = np.linalg.norm(model.gravity) * sum(body.inertia.mass for body in model.bodies)
    return np.abs(joint_forces).max(initial=0.0) + np.abs(wrenches).max(initial=0.0) + weights


def _from_bodies(model, q, v):
    """`state_from_bodies` gives a state with the poses and velocities that it was asked for."""
    there = lw.forward_kinematics(model, q, v)
    poses = {body.name: there.pose(body.name) for body in model.bodies}
    answer = asked(lw.state_from_bodies, model, poses, {body.name: there.velocity(body.name) for body in model.bodies}, q=q)
    if answer.value is None:
        return []
    again = lw.forward_kinematics(model, answer.value.q, answer.value.v)
    error = max(
        float(np.abs(a - b).max(initial=0.0))
        for a, b in ((there.positions, again.positions), (there.rotations, again.rotations), (there.velocities, again.velocities))
    )
    scale = 1.0 + float(np.abs(there.velocities).max(initial=0.0)) + float(np.abs(there.positions).max(initial=0.0))
    if error <= SEEN * scale:
        return []
    return [Finding("silent", "questions, state from bodies", f"bodies are {error:.2g} from where they were said to be")]


def mobility_text(model, q, v):
    return str(lw.mobility(model, q))


def reactions_text(model, q, v):
    return str(lw.reactions(model, q, v))


def cross_check_text(model, q, v):
    return str(lw.cross_check(model, q, v))


def energies(model, q, v):
    return np.array([*lw.energy(model, q, v)])


def momenta(model, q, v):
    return np.concatenate([np.ravel(part) for part in lw.momentum(model, q, v)])


# -------------------------------------------------------------------------------------------------------------- all calls


def calls(case, model):
    """Every function of states: one state, a batch of different states, two threads; and identities between them."""
    q, v = case.state(model)
    rng = np.random.default_rng([case.seed, 2])
    marked = case.mechanism.clone()
    names = [body.name for body in model.bodies]
    for k in (1, 2):
        if not any(frame.name == f"mark {k}" for frame in marked.frames):
            marked.add_frame(f"mark {k}", marked.body(names[rng.integers(len(names))]).at(0.1, 0.2 * k, 0.3))
    model = marked.build()
    steps = 0.05 * rng.normal(size=(5, model.nv)) * np.arange(5)[:, None]
    states = lw.integrate(model, q, steps), v + steps, rng.normal(size=(5, model.nv)), rng.normal(size=(5, model.nb, 6))
    found = []
    for name, function in ALL.items():
        one = asked(_singly, function, model, states)
        batch, shared = (asked(_together, function, model, states, threads) for threads in (1, 2))
        if one.said or batch.said or shared.said:
            continue  # contradictory off the constraints, or for trees alone
        least, amplified = _solved(model, states[0]) if name.startswith(SOLVE) and name != "forward_kinematics" else (0.0, 1.0)
        found += _one_by_one(f"calls, {name}", (one.value, batch.value, shared.value), least, amplified)
    return found + _identities(model, q, v, rng)


def _singly(function, model, states):
    return [_parts(function(model, *state)) for state in zip(*states, strict=True)]


def _together(function, model, states, threads):
    return _parts(function(model, *states, threads=threads))


def _parts(result):
    return tuple(np.asarray(part) for part in (result if isinstance(result, tuple) else (result,)))


def _solved(model, q):
    """(least scale, by how much rounding is amplified) of results of a solve: what the free tree would answer to a unit force, since constraints that lock
    everything leave rounding of that; and the condition of the mass matrix, with loops that of `dense_accelerations`."""
    M, rest = lw.mass_matrix(model, q), np.zeros(model.nv)
    least = float(np.max(np.abs(np.linalg.inv(M)), initial=0.0))
    if not model.nc:
        return 0.0, float(np.max(np.linalg.cond(M)))
    return least, max(dense_accelerations(model, row, rest, rest)[1] / EPS + SOLVED / BATCH for row in q)


def _one_by_one(check, answers, least, amplified):
    one, batch, shared = answers
    for k, together in enumerate(batch):
        if not np.array_equal(together, shared[k], equal_nan=True):
            return [Finding("silent", check, "two threads give other bits than one")]
        single = np.array([parts[k] for parts in one])
        scale = max(least, 1e-300, *(float(np.abs(part).max(initial=0.0)) for part in batch))
        error = float(np.max(np.abs(together - single), initial=0.0)) / scale
        if not error <= BATCH * amplified:
            return [Finding("silent", check, f"a batch and its states differ by {error:.2g}, relative to the largest")]
    return []


def _identities(model, q, v, rng):
    """T = v M v / 2, momentum = A v, velocities = J v, M^-1 M = 1, M vdot + bias = inverse dynamics."""
    M, x = lw.mass_matrix(model, q), rng.normal(size=model.nv)
    twice = 2.0 * float(lw.energy(model, q, v).kinetic)
    pairs = {"kinetic energy": (np.array([v @ M @ v]), np.array([twice]), np.abs(v) @ np.abs(M) @ np.abs(v))}
    h, A = lw.momentum(model, q, v), lw.centroidal_momentum_matrix(model, q)
    pairs["momentum"] = (A @ v, np.concatenate([h.angular, h.linear]), np.abs(A) @ np.abs(v))
    J = lw.jacobian(model, q, "mark 1")
    pairs["jacobian"] = (J @ v, lw.forward_kinematics(model, q, v).velocity("mark 1", axes="world"), np.abs(J) @ np.abs(v))
    pairs["mass matrix times"] = (M @ x, lw.mass_matrix_times(model, q, x), np.abs(M) @ np.abs(x))
    if not model.nc:
        bias, full = lw.bias_force(model, q, v), lw.inverse_dynamics(model, q, v, x, forces=False)
        pairs["inverse dynamics"] = (M @ x + bias, full, np.abs(M) @ np.abs(x) + np.abs(bias))
    found = []
    for name, (a, b, size) in pairs.items():
        error, scale = float(np.abs(a - b).max(initial=0.0)), float(np.max(size, initial=0.0))
        if not error <= IDENTITY * (scale + 1e-300):
            found.append(Finding("silent", f"calls, {name}", f"two ways differ by {error / scale:.2g}, relative to the terms of the sum"))
    return found


FUNCTIONS = {
    f.__name__: f for f in (cam_pose, cam_motion, cam_rate, crane_pose, crane_motion, crane_rate, swing, on_egg, hold)
}  # a file names them
