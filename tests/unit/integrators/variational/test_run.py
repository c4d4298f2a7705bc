"""The variational integrator on trees: its equations against differences and against a dense solver, its order, its forces, its failures."""

import functools

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import root

import linkwork as lw
from linkwork.integrators.variational.force_calls import FORCES_CALL
from linkwork.integrators.variational.run import Run
from linkwork.kernels import JIT
from linkwork.kernels.calling import c_signature

from ....laws.mechanisms import FAMILIES, random_case
from ....reference_variational import about_com, momenta, product
from ....variational_runs import variational_run

# Differences of order 8 in steps of 4e-3 of motions within 1 rad leave 1e-13; ten times that for long chains.
DIFFERENCES = 2e-12


def function(python):
    """A force function as the integrator takes it."""
    if not JIT:
        return python
    import numba

    return numba.cfunc(c_signature(FORCES_CALL))(python)


@functools.cache
def arm(joints=4, armature=0.0):
    """A chain with turns, a slide and a screw, on the ground."""
    m = lw.Mechanism("arm", gravity=(0.3, -0.2, -9.81))
    kinds = (
        lw.Revolute(axis=(0, 1, 0), armature=armature),
        lw.Revolute(axis=(1, 0.2, 0)),
        lw.Prismatic(axis=(0.1, 0, 1)),
        lw.Screw(axis=(0, 1, 1), pitch=0.1),
    )
    parent = m.ground
    for k in range(joints):
        body = m.add_body(f"link {k}", mass=1.0 + 0.2 * k, com=(0.05, 0.02, -0.2), inertia=(0.03, 0.028, 0.01))
        m.add_joint(f"joint {k}", kinds[k % 4], parent.at(0.0, 0.03, -0.4) if k else parent, body)
        parent = body
    return m.build()


START = np.array([0.7, -0.4, 0.1, 0.5]), np.array([1.0, -2.0, 0.4, 1.5])


def hanging(n):
    """n equal links on hinges in turn about y and x, swinging gently."""
    m = lw.Mechanism("chain")
    parent = m.ground
    for k in range(n):
        body = m.add_body(f"link {k}", mass=1.0, com=(0, 0, -0.1), inertia=(0.01, 0.008, 0.004))
        m.add_joint(f"joint {k}", lw.Revolute(axis=(k % 2, 1 - k % 2, 0)), parent.at(0, 0, -0.2) if k else parent, body)
        parent = body
    return m.build()


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", [3, 8])
def test_momenta_of_a_step_are_slopes_of_the_discrete_lagrangian(family, seed):
    """M(q_0) v_0 = -D1 L_d and M(q_1) v_1 = D2 L_d, for every joint kind, forwards and backwards, with rotors."""
    _, model, q, v, _, _ = random_case(seed, family)
    h = 0.02
    run = variational_run(model, q, v, h, 1)
    first, second = momenta(model, q, run.q, h)
    scale = np.abs(first).max()
    assert np.abs(lw.difference(model, q, run.q)).max() > 0.005
    assert np.abs(first - lw.mass_matrix(model, q) @ v).max() <= DIFFERENCES * scale
    assert np.abs(second - lw.mass_matrix(model, run.q) @ run.v).max() <= DIFFERENCES * scale


def pendulum_pair():
    """A body on a ball, another on a hinge: the mechanism of the dense solver below."""
    m = lw.Mechanism("pair", gravity=(0.0, 0.5, -9.81))
    a = m.add_body("a", mass=2.0, com=(0.1, 0.0, -0.3), inertia=(0.2, 0.15, 0.1))
    b = m.add_body("b", mass=1.0, com=(0.0, 0.1, -0.2), inertia=(0.05, 0.06, 0.04))
    m.add_joint("ball", lw.Spherical(), m.ground, a)
    m.add_joint("hinge", lw.Revolute(axis=(0, 1, 0)), a.at(0.1, 0.0, -0.6), b.at(0.0, 0.0, 0.1))
    return m.build()


def test_a_step_is_that_of_a_dense_solver_in_maximal_coordinates():
    """Wendlandt's own formulation (section 5.4.1): x and a quaternion for each body, multipliers for unit length and for all joints."""
    model = pendulum_pair()
    q, v, h = np.array([0.9, 0.1, 0.3, np.sqrt(1 - 0.91), 0.4]), np.array([0.5, -1.0, 2.0, 3.0]), 0.01
    run = Run(model, q, v)
    places = [_maximal(model, q)]
    for _ in range(3):
        run.step(h)
        places.append(_maximal(model, run.state()[0]))
    for before, now, after in zip(places, places[1:], places[2:], strict=False):
        guess = np.concatenate([2 * now - before, np.zeros(2 + 8)])
        found = root(_equations, guess, args=(model, before, now, h), tol=1e-14)
        # Differences in the equations are good to 1e-10 of momenta of size 1, i.e. to 1e-11 of places.
        assert np.abs(found.x[:14] - after).max() < 1e-10
        assert np.abs(after - now).max() > 1e-3


def _maximal(model, q):
    """x of the centre of mass and the quaternion of each body, 7 numbers a body."""
    k = lw.forward_kinematics(model, q)
    rows = [np.concatenate([k.pose(b.name).act(b.inertia.com), k.pose(b.name).quaternion]) for b in model.bodies]
    rows = [np.concatenate([row[:3], row[3:] * np.sign(row[3])]) for row in rows]
    return np.concatenate(rows)


def _action(model, x, y, h):
    """L_d from pose to pose, of all bodies, with w = 2 Im(r_0^* r_1) / h wherever r_0 and r_1 are."""
    total = 0.0
    for k, body in enumerate(model.bodies):
        a, b = x[..., 7 * k : 7 * k + 7], y[..., 7 * k : 7 * k + 7]
        w = 2.0 * product(a[..., 3:] * np.array([1.0, -1.0, -1.0, -1.0]), b[..., 3:])[..., 1:] / h
        T = about_com(body.inertia)
        total = total + 0.5 * body.inertia.mass * ((b - a)[..., :3] ** 2).sum(-1) / h + 0.5 * h * ((w @ T) * w).sum(-1)
        total = total + 0.5 * h * body.inertia.mass * (a + b)[..., :3] @ np.asarray(model.gravity)
    return total


def _joined(model, x):
    """The two unit lengths and the 8 rows of the joints."""

    def place(k, point, turn=False):
        a = x[..., 7 * k : 7 * k + 7]
        point = np.asarray(point, dtype=float) - (0.0 if turn else model.bodies[k].inertia.com)
        r = np.broadcast_to(np.concatenate([[0.0], point]), (*a.shape[:-1], 4))
        turned = product(product(a[..., 3:], r), a[..., 3:] * np.array([1.0, -1.0, -1.0, -1.0]))[..., 1:]
        return turned if turn else turned + a[..., :3]

    lengths = [(x[..., 7 * k + 3 : 7 * k + 7] ** 2).sum(-1) - 1.0 for k in range(2)]
    ball = place(0, (0, 0, 0))
    hinge = place(0, (0.1, 0.0, -0.6)) - place(1, (0.0, 0.0, 0.1))
    axis = place(1, (0, 1, 0), turn=True)
    across = [(place(0, e, turn=True) * axis).sum(-1) for e in ((1, 0, 0), (0, 0, 1))]
    return np.stack([*lengths, *np.moveaxis(ball, -1, 0), *np.moveaxis(hinge, -1, 0), *across], axis=-1)


def _slope(f, x, step=1e-3):
    offsets = np.array([-2.0, -1.0, 1.0, 2.0]) * step
    weights = np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * step)
    return np.tensordot(weights, f(x + offsets[:, None, None] * np.eye(len(x))), axes=1)


def _equations(unknown, model, before, now, h):
    after, multipliers = unknown[:14], unknown[14:]
    momentum = _slope(lambda x: _action(model, np.broadcast_to(before, x.shape), x, h), now)
    momentum = momentum + _slope(lambda x: _action(model, x, np.broadcast_to(after, x.shape), h), now)
    return np.concatenate([momentum + _slope(lambda x: _joined(model, x), now) @ multipliers, _joined(model, after)])


def test_it_converges_to_the_motion_with_second_order():
    """Against an adaptive Runge-Kutta solution of forward dynamics, good to 1e-11."""
    model = arm(armature=0.05)
    q, v = START

    def rate(t, y):
        return np.concatenate([y[4:], lw.forward_dynamics(model, y[:4], y[4:])])

    exact = solve_ivp(rate, (0.0, 0.5), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    errors = []
    for steps in (50, 100, 200):
        run = variational_run(model, q, v, 0.5 / steps, steps)
        errors.append([np.abs(run.q - exact[:4]).max(), np.abs(run.v - exact[4:]).max()])
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(orders - 2.0).max() < 0.05
    assert 1e-7 < errors[-1][0] < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("family", ["floating", "every kind"])
def test_order_two_with_every_joint_kind(family):
    _, model, q, v, _, _ = random_case(5, family)
    ends = [variational_run(model, q, 0.5 * v, 0.1 / n, n) for n in (40, 80, 160)]
    near, far = (np.abs(lw.difference(model, a.q, b.q)).max() for a, b in ((ends[1], ends[2]), (ends[0], ends[1])))
    assert abs(np.log2(far / near) - 2.0) < 0.1


def test_calls_do_not_matter():
    """Forty steps in one call, or in forty: the same bits."""
    model, (q, v) = arm(), START
    whole, parts = Run(model, q, v), Run(model, q, v)
    whole.step(1e-3, 40)
    for _ in range(40):
        parts.step(1e-3)
        parts.state()
    assert all(np.array_equal(a, b) for a, b in zip(whole.state(), parts.state(), strict=True))


def test_the_step_may_change_on_the_way():
    model, (q, v) = arm(), START
    run = Run(model, q, v)
    for h, steps in ((2e-3, 20), (1e-3, 20), (4e-3, 10)):
        run.step(h, steps)
    fine = variational_run(model, q, v, 2.5e-4, 400)
    assert np.isclose(run.t, 0.1) and np.abs(run.state()[0] - fine.q).max() < 1e-4


def _damped_and_driven(data, q, v, t, out):
    """Springs, dampers that couple two joints, and a drive that follows the time."""
    for k in range(4):
        out[k] = -3.0 * q[k] - 0.2 * v[k] * abs(v[k])
    out[0] -= 0.5 * (v[0] - v[1])
    out[1] += 0.5 * (v[0] - v[1]) + 2.0 * np.sin(9.0 * t)


def test_order_two_with_forces_of_all_sorts():
    model, (q, v) = arm(), START
    tau = function(_damped_and_driven)

    def rate(t, y):
        force = np.zeros(4)
        _damped_and_driven(0, y[:4], y[4:], t, force)
        return np.concatenate([y[4:], lw.forward_dynamics(model, y[:4], y[4:], force)])

    exact = solve_ivp(rate, (0.3, 0.7), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    errors = [np.abs(np.concatenate(variational_run(model, q, v, 0.4 / n, n, tau, t=0.3)[:2]) - exact).max() for n in (50, 100, 200)]
    assert np.abs(np.log2(np.array(errors[:-1]) / errors[1:]) - 2.0).max() < 0.06


def _stiff(data, q, v, t, out):
    for k in range(4):
        out[k] = -2000.0 * v[k]


def test_strong_dampers_need_no_short_step():
    """h c / 2 m is about 100 here: fixed-point iteration would diverge. What is known of the damping on the diagonal changes nothing but the work."""
    model, (q, v) = arm(), START
    tau = function(_stiff)
    found = variational_run(model, q, v, 5e-3, 100, tau)
    told = variational_run(model, q, v, 5e-3, 100, tau, damping=np.full(4, 2000.0))
    assert np.abs(found.q - told.q).max() < 1e-11
    assert told.report.corrections <= found.report.corrections <= 600
    # Dampers this strong let the arm creep: after a moment, c v = force of gravity.
    creep = -lw.gravity_force(model, told.q) / 2000.0
    assert np.abs(creep).max() > 1e-3 and np.abs(told.q - q).max() > 1e-3


def test_few_corrections_a_step_are_enough():
    """Two, and a third where rounding in a long chain hides that the second was good."""
    model = hanging(32)
    q = 0.1 * np.sin(np.arange(32.0))
    run = Run(model, q, np.zeros(32))
    run.step(1e-3, 10)
    run.step(1e-3, 100)
    assert run.report.steps == 100 and run.report.corrections <= 260


def test_a_step_that_cannot_be_solved_says_where():
    """A whip with a step far too long; the run stands where the step began, and a shorter one goes on."""
    model = hanging(3)
    run = Run(model, [3.0, 2.0, -2.5], [0.0, 80.0, -300.0])
    with pytest.raises(lw.SolverError, match=r"variational step from t = .* at joint 'joint \d'.*shorter step.*0\.1 s") as caught:
        run.step(0.1, 50)
    assert run.report.ended in (1, 2) and "real_time" in str(caught.value)
    at = run.t
    q = run.state()[0]
    run.step(1e-4, 10)
    assert np.isclose(run.t, at + 1e-3) and np.abs(run.state()[0] - q).max() > 1e-3


def test_real_time_takes_what_is_reached():
    """Two corrections and on: a step a little unconverged now and then, never an error."""
    model, (q, v) = arm(), START
    exact = variational_run(model, q, v, 0.01, 50)
    hasty = variational_run(model, q, v, 0.01, 50, iterations=2, real_time=True)
    assert hasty.report.steps == 50 and hasty.report.most == 2 < exact.report.most
    assert 0.0 < np.abs(hasty.q - exact.q).max() < 1e-6


def test_a_step_whose_first_correction_overflows_is_not_taken_for_solved():
    """Measured against an infinite correction any other is small: the step was accepted, and the run went on to states that are no numbers."""
    model, (q, v) = arm(), START
    run = Run(model, q, 1e160 * v)
    with pytest.raises(lw.SolverError, match="variational step"), np.errstate(all="ignore"):
        run.step(1e-3)
    assert np.array_equal(run.configuration(), q)


def test_what_went_forth_comes_back():
    """The step is its own adjoint: with the velocities turned round, the run goes back to its beginning, to rounding of both."""
    model, (q, v) = arm(), START
    there = variational_run(model, q, v, 5e-3, 60)
    back = variational_run(model, there.q, -there.v, 5e-3, 60)
    assert np.abs(there.q - q).max() > 0.3
    assert np.abs(back.q - q).max() < 1e-11 and np.abs(back.v + v).max() < 1e-10


def test_wrong_arguments_are_named():
    model, (q, v) = arm(), START
    for h in (0.0, -1e-3, np.nan, np.inf):
        with pytest.raises(lw.StateError, match=r"h = .*allowed"):
            variational_run(model, q, v, h, 1)
    with pytest.raises(lw.StateError, match="v: element"):
        variational_run(model, q, v * np.nan, 1e-3, 1)
    with pytest.raises(lw.StateError, match="q: found shape"):
        variational_run(model, q[:3], v, 1e-3, 1)


def test_a_run_goes_on_from_what_was_saved():
    """In another run, that stood elsewhere: the same bits, with forces of steep slopes."""
    model, (q, v) = arm(), START
    tau = function(_stiff)
    whole, other = Run(model, q, v, tau=tau), Run(model, -q, 0.1 * v, tau=tau)
    whole.step(2e-3, 12)
    saved = whole.save()
    other.step(1e-3, 3)
    other.load(saved)
    for run in (whole, other):
        run.step(2e-3, 20)
    assert all(np.array_equal(a, b) for a, b in zip(whole.state(), other.state(), strict=True))
    assert whole.report.total == other.report.total
