"""The answer does not depend on the unit in which it is asked: a mechanism whose lengths, masses and times are scaled moves, and answers, as the first does.

Lengths by L, masses by M, times by T: gravity by L / T^2, stiffness by M / T^2, torques by M L^2 / T^2, steps and durations by T; angles stay. The
factors are powers of 4, so that scaling is exact in binary numbers, square roots included: without a threshold in m, s or kg the scaled mechanism gives
the same bits. What may differ is said beside each bound.
"""

import functools
import math
import warnings
from typing import NamedTuple

import numpy as np
import pytest

import linkwork as lw

from ..unit.constraints.rank_cases import BARS, POINTS


class Units(NamedTuple):
    """How much a metre, a kilogram and a second of the drawing are."""

    L: float = 1.0
    M: float = 1.0
    T: float = 1.0

    @property
    def force(self):
        return self.M * self.L / self.T**2

    @property
    def torque(self):
        return self.force * self.L

    @property
    def inertia(self):
        return self.M * self.L**2

    @property
    def stiffness(self):
        return self.M / self.T**2

    @property
    def damping(self):
        return self.M / self.T

    def gravity(self, z=-10.0):
        return (0.0, 0.0, z * self.L / self.T**2)

    def point(self, *numbers):
        return tuple(self.L * x for x in numbers)


DRAWN = Units()
SCALES = {
    "1 mm": Units(L=4.0**-5),
    "1 km": Units(L=4.0**5),
    "1 mg": Units(M=4.0**-10),
    "10 t": Units(M=4.0**7),
    "1 ms": Units(T=4.0**-5),
    "100 s": Units(T=4.0**3),
    "small, light, fast": Units(4.0**-5, 4.0**-10, 4.0**-5),
    "small, light, slow": Units(4.0**-5, 4.0**-10, 4.0**3),
    "large, heavy, slow": Units(4.0**5, 4.0**7, 4.0**3),
}


# ---------------------------------------------------------------------------------------------------------------- mechanisms
# Each function gives (model, guess of q, v): lengths in u.L, masses in u.M, times in u.T.


def rod(m, u, name, com, inertia=0.125, mass=1.0):
    return m.add_body(name, mass=mass * u.M, com=u.point(*com), inertia=tuple(inertia * u.inertia * np.ones(3)))


def tree(u):
    """A carriage on a rail with a stop, a double pendulum on it, with a spring, joint springs and dampers."""
    m = lw.Mechanism("tree", gravity=u.gravity())
    cart, upper, lower = rod(m, u, "cart", (0, 0, 0), mass=2.0), rod(m, u, "upper", (0, 0, -0.5)), rod(m, u, "lower", (0, 0, -0.4))
    m.add_joint("rail", lw.Prismatic((1, 0, 0), damping=0.3 * u.damping), m.ground, cart)
    m.add_joint("shoulder", lw.Revolute((0, 1, 0)), cart.at(u.point(0.1, 0, 0.2)), upper)
    m.add_joint("elbow", lw.Revolute((0, 1, 0), damping=0.05 * u.torque * u.T), upper.at(u.point(0, 0, -1.0)), lower)
    m.add_force(
        "rope",
        lw.SpringDamper(30.0 * u.stiffness, 0.4 * u.damping, length=0.8 * u.L),
        lower.at(u.point(0, 0, -0.8)),
        m.ground.at(u.point(1, 0, -1)),
    )
    m.add_force("turned", lw.JointSpring(3.0 * u.torque, 0.1 * u.torque * u.T, rest=0.4), "elbow")
    m.add_force("buffer", lw.LimitStop(2000.0 * u.stiffness, upper=0.05 * u.L, dissipation=0.3 * u.T / u.L), "rail")
    model = m.build()
    return model, lw.neutral(model), np.array([0.5 * u.L, 1.0, -2.0]) / u.T


def floating(u):
    """Two bodies that nothing holds, hinged together, with a spring that winds them up; a ball on the second."""
    m = lw.Mechanism("floating", gravity=u.gravity(-1.0))
    a, b, c = (
        m.add_body(n, mass=k * u.M, com=u.point(0.1, 0.2, 0), inertia=tuple(i * u.inertia for i in (0.2, 0.3, 0.35)))
        for n, k in zip("abc", (1.0, 2.0, 0.5), strict=True)
    )
    m.add_joint("base", lw.Free(), m.ground, a)
    m.add_joint("hinge", lw.Revolute((0, 0, 1)), a.at(u.point(0.5, 0, 0)), b.at(u.point(-0.4, 0.1, 0)))
    m.add_joint("ball", lw.Spherical(), b.at(u.point(0.5, 0, 0)), c.at(u.point(0, -0.3, 0)))
    m.add_force(
        "spring",
        lw.SpringDamper(20.0 * u.stiffness, 0.1 * u.damping, length=0.3 * u.L),
        a.at(u.point(0, 0.5, 0)),
        c.at(u.point(0, 0.3, 0.2)),
    )
    model = m.build()
    v = np.array([0.3, 1.0, -0.5, 0.4 * u.L, 0.2 * u.L, 1.0 * u.L, 1.0, 0.7, -0.4, 0.9]) / u.T
    return model, lw.neutral(model), v


def four_bar(u):
    """Rods about y with a spring: three of six rows are redundant."""
    m = lw.Mechanism("four-bar", gravity=u.gravity())
    rods = _bars(m, u)
    m.add_force(
        "spring",
        lw.SpringDamper(20.0 * u.stiffness, 0.5 * u.damping, length=0.5 * u.L),
        rods["coupler"].at(u.point(0.3, 0, 0)),
        m.ground.at(u.point(1, 0, 0.2)),
    )
    model = m.build()
    return model, lw.neutral(model), np.ones(model.nv) / u.T


def _bars(m, u):
    rods, starts = {"ground": m.ground}, {"ground": (0.0, 0.0)}
    for name, (p, q) in BARS.items():
        (x0, z0), (x1, z1) = POINTS[p], POINTS[q]
        rods[name], starts[name] = rod(m, u, name, (0.5 * (x1 - x0), 0.0, 0.5 * (z1 - z0))), (x0, z0)
    for joint, ends in {"a": ("ground", "crank"), "b": ("crank", "coupler"), "c": ("coupler", "rocker"), "d": ("ground", "rocker")}.items():
        x, z = POINTS[joint]
        m.add_joint(joint, lw.Revolute((0, 1, 0)), *(rods[end].at(u.point(x - starts[end][0], 0.0, z - starts[end][1])) for end in ends))
    return rods


def driven_four_bar(u):
    """The same, its crank at a speed that is prescribed."""
    m = lw.Mechanism("driven four-bar", gravity=u.gravity())
    _bars(m, u)
    m.add_constraint("motor", lw.SpeedDrive(0.7 / u.T), "a")
    model = m.build()
    return model, lw.neutral(model), np.zeros(model.nv)


def slider_crank(u):
    """A crank, a rod and a piston against a spring and a buffer."""
    m = lw.Mechanism("slider-crank", gravity=u.gravity())
    crank, link, piston = (rod(m, u, n, (0.2, 0, 0), i) for n, i in {"crank": 0.02, "rod": 0.1, "piston": 0.1}.items())
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, crank)
    m.add_joint("pin", lw.Revolute((0, 1, 0)), crank.at(u.point(0.4, 0, 0)), link)
    m.add_joint("wrist", lw.Revolute((0, 1, 0)), link.at(u.point(1, 0, 0)), piston)
    m.add_joint("guide", lw.Prismatic((1, 0, 0)), m.ground, piston)
    m.add_force("spring", lw.SpringDamper(50.0 * u.stiffness, 0.2 * u.damping, length=0.7 * u.L), piston, m.ground.at(u.point(2.0, 0, 0.1)))
    m.add_force("buffer", lw.LimitStop(3000.0 * u.stiffness, upper=1.35 * u.L, dissipation=0.2 * u.T / u.L), "guide")
    model = m.build()
    guess, v = lw.neutral(model), np.ones(model.nv) / u.T
    guess[model.joint("pivot").q_index], guess[model.joint("guide").q_index], v[model.joint("guide").v_index] = -0.7, 1.3 * u.L, u.L / u.T
    return model, guess, v


def geared(u):
    """Two wheels by a gear, a rack on the second, a weight on the first; an idle spring on the rack."""
    m = lw.Mechanism("geared", gravity=u.gravity())
    first, second, rack = rod(m, u, "first", (0.1, 0, 0), 0.2), rod(m, u, "second", (0, 0, 0), 0.05), rod(m, u, "rack", (0, 0, 0), 0.1, 0.5)
    m.add_joint("one", lw.Revolute((0, 1, 0)), m.ground, first)
    m.add_joint("two", lw.Revolute((0, 1, 0)), m.ground.at(u.point(0.5, 0, 0)), second)
    m.add_joint("way", lw.Prismatic((1, 0, 0)), m.ground.at(u.point(0.5, 0, 0.3)), rack)
    m.add_constraint("gear", lw.Gear(-3.0), "one", "two")
    m.add_constraint("teeth", lw.Rack(0.2 * u.L), "two", "way")
    m.add_force("spring", lw.SpringDamper(40.0 * u.stiffness, 1.0 * u.damping, length=0.5 * u.L), rack, m.ground.at(u.point(1.5, 0, 0.4)))
    model = m.build()
    return model, lw.neutral(model), np.ones(model.nv) * units_of(model, u) / u.T


def door(u):
    """A door on two ball joints: one row is redundant; it slams against a torsion spring."""
    m = lw.Mechanism("door", gravity=u.gravity())
    leaf = m.add_body("leaf", mass=20.0 * u.M, com=u.point(0.4, 0, 1.0), inertia=tuple(i * u.inertia for i in (7.0, 8.0, 1.2)))
    m.add_joint("lower", lw.Spherical(), m.ground.at(u.point(0, 0, 0.3)), leaf.at(u.point(0, 0, 0.3)))
    m.add_joint("upper", lw.Spherical(), m.ground.at(u.point(0.1, 0, 1.7)), leaf.at(u.point(0.1, 0, 1.7)))
    m.add_force("closer", lw.TorsionSpring(30.0 * u.torque, 2.0 * u.torque * u.T, axis=(0, 0, 1)), leaf, m.ground)
    model = m.build()
    return model, lw.neutral(model), np.ones(model.nv) / u.T


MECHANISMS = (tree, floating, four_bar, driven_four_bar, slider_crank, geared, door)


def units_of(model, u):
    """What each velocity is measured by: 1 for turns, u.L for slides."""
    found = np.ones(model.nv)
    for joint in model.joints:
        if joint.kind.free:
            found[joint.v_index.start + 3 : joint.v_index.stop] = u.L
        elif not joint.kind.ball:
            found[joint.v_index] = [u.L if element.turn == 0.0 else 1.0 for element in joint.kind.elements]
    return found


def drawn(model, u, q):
    """Coordinates back in the units of the drawing."""
    q = np.array(q)
    for joint in model.joints:
        if joint.kind.free:
            q[..., joint.q_index.start : joint.q_index.start + 3] /= u.L
        elif not joint.kind.ball:
            q[..., joint.q_index] /= units_of(model, u)[joint.v_index]
    return q


def names_of(told):
    """The categories of Linkwork's own warnings."""
    return {w.category.__name__ for w in told if w.category.__module__.startswith("linkwork")}


def started(make, u):
    """(model, q, v) on the constraints."""
    model, guess, v = make(u)
    q = lw.assemble(model, guess)
    return model, q, lw.project_velocity(model, q, v)


# ------------------------------------------------------------------------------------------------------------------- motion

# How each method is asked in units u, and how far its results may be apart: by the rounding of some hundred steps where no tolerance is in units.
METHODS = {
    "RungeKutta4": (lambda u: lw.RungeKutta4(2e-3 * u.T), 1e-12),
    "SemiImplicitEuler": (lambda u: lw.SemiImplicitEuler(1e-3 * u.T), 1e-12),
    # atol is in rad, m and a second: the least of them is asked for, so that steps differ; errors of some hundred steps at rtol 1e-9 add up
    "Adaptive": (lambda u: lw.Adaptive(rtol=1e-9, atol=1e-11 * min(1.0, u.L) * min(1.0, 1.0 / u.T)), 1e-7),
    "Adams": (lambda u: lw.Adams(rtol=1e-9, atol=1e-11 * min(1.0, u.L) * min(1.0, 1.0 / u.T)), 1e-6),
    "Implicit": (lambda u: lw.Implicit(5e-3 * u.T), 1e-12),
    "Implicit, free steps": (lambda u: lw.Implicit(rtol=1e-7, atol=1e-9 * min(1.0, u.L) * min(1.0, 1.0 / u.T)), 1e-5),
    "Variational": (lambda u: lw.Variational(5e-3 * u.T), 1e-12),
    "EnergyMomentum": (lambda u: lw.EnergyMomentum(5e-3 * u.T), 1e-12),
}
REFUSED = {"EnergyMomentum": (driven_four_bar, geared)}
CASES = [(name, make) for name in METHODS for make in MECHANISMS if make not in REFUSED.get(name, ())]


@functools.cache
def moved(name, make, u):
    """(status, categories of warnings, q and v after a second) by the units of the drawing."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model, q, v = started(make, u)
        run = lw.simulate(model, 1.0 * u.T, METHODS[name][0](u), q=q, v=v, record_interval=0.25 * u.T)
    if u == DRAWN:
        assert max(np.abs(lw.difference(model, q, x)).max() for x in run.q) > 0.2, "the motion is trivial"
    return run.status.word, names_of(told), drawn(model, u, run.q), run.v / units_of(model, u) * u.T


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("name", "make"), CASES, ids=[f"{name}-{make.__name__}" for name, make in CASES])
def test_a_scaled_mechanism_moves_alike(name, make, scale):
    first, other = moved(name, make, DRAWN), moved(name, make, SCALES[scale])
    assert other[:2] == first[:2]
    for a, b in zip(first[2:], other[2:], strict=True):
        assert np.abs(b - a).max() < METHODS[name][1] * max(1.0, np.abs(a).max())


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("make", MECHANISMS, ids=lambda make: make.__name__)
def test_scaled_copies_roll_out_alike(make, scale):
    found = []
    for u in (DRAWN, SCALES[scale]):
        model, q, v = started(make, u)
        q, v = np.tile(q, (5, 1)), np.tile(v, (5, 1))
        out = lw.rollout(model, q, v, 100, lw.RungeKutta4(2e-3 * u.T), every=50)
        assert not out.failed.any()
        found += [drawn(model, u, out.q)]
    np.testing.assert_allclose(found[1], found[0], rtol=0.0, atol=1e-12)  # as RungeKutta4


# ---------------------------------------------------------------------------------------------------------------- questions


def told(question):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = question()
    return found, names_of(heard)


def answers(make, u):
    """{question: numbers in the units of the drawing}."""
    model, guess, v = make(u)
    unit = units_of(model, u)
    q, heard = told(lambda: lw.assemble(model, guess))
    found = {"assemble": drawn(model, u, q), "warnings of assemble": heard}
    v, heard = told(lambda: lw.project_velocity(model, q, v))
    found |= {"project_velocity": v / unit * u.T, "warnings of project_velocity": heard}
    found["forward_dynamics"] = lw.forward_dynamics(model, q, v) / unit * u.T**2
    mobility = lw.mobility(model, q)
    found["mobility"] = (mobility.dof, mobility.redundant, len(mobility.nearly_redundant), len(mobility.contradictions))
    reacted = lw.reactions(model, q, v)
    found["moments"] = np.array([reacted[j.name].moment for j in model.joints]) / u.torque
    found["forces"] = np.array([reacted[j.name].force for j in model.joints]) / u.force
    found["unique"] = tuple(map(bool, np.concatenate([reacted[j.name].unique for j in model.joints])))
    check = lw.cross_check(model, q, v)
    found["cross_check"] = np.array([0.0 if check.worst < 1e-9 else check.worst])
    found["ranks"] = tuple(sorted(check.ranks.items()))
    if make is not driven_four_bar:
        rest, heard = told(lambda: lw.equilibrium(model, q, hold=("base", "ball") if make is floating else ()))
        found |= {"equilibrium": drawn(model, u, rest.q), "stable": rest.stable, "warnings of equilibrium": heard}
    return model, q, v, found


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("make", MECHANISMS, ids=lambda make: make.__name__)
def test_questions_answer_alike(make, scale):
    *_, first = answers(make, DRAWN)
    *_, other = answers(make, SCALES[scale])
    assert first.keys() == other.keys()
    for name, a in first.items():
        if isinstance(a, np.ndarray):
            # rounding, which reactions of redundant rows and differences of forces (equilibrium) multiply
            # A cross-check is itself a measure of rounding, over accelerations that may be zero: below 1e-8 solvers agree.
            within = 1e-8 if name == "cross_check" else 1e-10 * max(1.0, np.abs(a).max())
            np.testing.assert_allclose(other[name], a, rtol=0.0, atol=within, err_msg=name)
        else:
            assert other[name] == a, name


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("make", (tree, four_bar, slider_crank, floating), ids=lambda make: make.__name__)
def test_inverse_questions_answer_alike(make, scale):
    """Bodies are where a motion has brought them: coordinates are found again from a guess beside them."""
    found = []
    for u in (DRAWN, SCALES[scale]):
        model, q, v = started(make, u)
        unit = units_of(model, u)
        near = lw.assemble(model, lw.integrate(model, q, 0.05 * unit))
        seen = lw.forward_kinematics(model, q, v)
        bodies = [b.name for b in model.bodies]
        state = lw.state_from_bodies(
            model,
            {b: lw.Pose(seen.position(b), seen.rotation(b)) for b in bodies},
            {b: seen.velocities[k] for k, b in enumerate(bodies)},
            q=near,
        )
        last = bodies[-1]
        reached = lw.inverse_kinematics(model, near, {last: lw.Pose(seen.position(last), seen.rotation(last))})
        assert reached.reached
        found.append((drawn(model, u, state.q), state.v / unit * u.T, lw.forward_kinematics(model, reached.q).position(last) / u.L))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(b, a, rtol=0.0, atol=1e-10)  # rounding; both go on to the same tolerance in the same steps


# ------------------------------------------------------------------------------------------------- what is refused, and what is told


def parallelogram(u, gravity=-10.0):
    """Two cranks of 1 and a coupler, level: branches of motion cross in that pose."""
    m = lw.Mechanism("parallelogram", gravity=u.gravity(gravity))
    one, two, coupler = (rod(m, u, name, (0.5, 0, 0)) for name in ("one", "two", "coupler"))
    m.add_joint("a", lw.Revolute((0, 1, 0)), m.ground, one)
    m.add_joint("b", lw.Revolute((0, 1, 0)), m.ground.at(u.point(2, 0, 0)), two)
    m.add_joint("c", lw.Revolute((0, 1, 0)), one.at(u.point(1, 0, 0)), coupler)
    m.add_joint("d", lw.Revolute((0, 1, 0)), two.at(u.point(1, 0, 0)), coupler.at(u.point(2, 0, 0)))
    return m.build()


@pytest.mark.parametrize("scale", SCALES)
def test_scaled_cranks_pass_a_singular_pose_alike(scale):
    found = []
    for u in (DRAWN, SCALES[scale]):
        model = parallelogram(u)
        q = lw.neutral(model)
        names = {j.name: j.q_index.start for j in model.joints}
        for name, angle in {"a": -0.5, "b": -0.5, "c": 0.5, "d": 0.5}.items():
            q[names[name]] = angle
        q = lw.assemble(model, q)
        v = lw.project_velocity(model, q, np.array([2.0 if j.name in "ab" else -2.0 for j in model.joints]) / u.T)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            run = lw.simulate(model, 0.6 * u.T, lw.RungeKutta4(2e-3 * u.T), q=q, v=v, record_interval=0.1 * u.T)
        assert run.status == "finished"
        assert run.q[-1, names["a"]] > 0.3  # through the level pose, on the branch of the parallelogram
        np.testing.assert_allclose(run.q[-1, names["b"]], run.q[-1, names["a"]], atol=1e-7)
        found.append((run.q[-1], names_of(heard)))
    assert found[0][1] == found[1][1]
    np.testing.assert_allclose(found[1][0], found[0][0], rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("scale", SCALES)
def test_rest_in_a_singular_pose_is_told_at_any_scale(scale):
    u = SCALES[scale]
    with pytest.warns(lw.SingularPoseWarning):
        lw.simulate(parallelogram(u), 0.01 * u.T, lw.RungeKutta4(2e-3 * u.T), record_interval=0.01 * u.T)


@pytest.mark.parametrize("scale", SCALES)
def test_steps_that_are_too_large_fail_alike(scale):
    """Energy from nowhere was measured by the energy of 1e-2 m/s: what was slower grew on."""
    found = []
    for u in (DRAWN, SCALES[scale]):
        m = lw.Mechanism("stiff", gravity=(0.0, 0.0, 0.0))
        body = rod(m, u, "body", (0.3, 0, 0))
        m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, body)
        m.add_force("spring", lw.JointSpring(1e6 * u.stiffness), "rail")
        with pytest.warns(lw.FailedRunWarning):
            run = lw.simulate(m.build(), 1.0 * u.T, lw.RungeKutta4(1e-2 * u.T), q=[1e-4 * u.L], record_interval=0.01 * u.T)
        found.append((run.status.word, run.status.time / u.T, len(run)))
    assert found[0] == found[1]
    assert found[0][0] == "failed"


@pytest.mark.parametrize("scale", SCALES)
def test_velocities_off_the_constraints_are_refused_at_any_scale(scale):
    """AccelerationData were measured by 1 m/s: a mechanism of 1 mm that took 100 s could begin with any velocity."""
    u = SCALES[scale]
    model, q, v = started(slider_crank, u)
    v[model.joint("guide").v_index] *= 1.001
    with pytest.raises(lw.StateError, match="opens at"):
        lw.Simulation(model, q=q, v=v)


@pytest.mark.parametrize("scale", SCALES)
def test_open_loops_are_refused_at_any_scale(scale):
    u = SCALES[scale]
    model, q, v = started(slider_crank, u)
    q[model.joint("guide").q_index] += 1e-6 * u.L
    with pytest.raises(lw.StateError, match="is open by"):
        lw.Simulation(model, q=q)


@pytest.mark.parametrize("scale", SCALES)
def test_bodies_that_cannot_be_there_are_refused_at_any_scale(scale):
    u = SCALES[scale]
    model, q, v = started(four_bar, u)
    seen = lw.forward_kinematics(model, q, v)
    place = np.array(seen.position("rocker")) + u.point(0.0, 1e-4, 0.0)  # off the plane that it moves in
    with pytest.raises(lw.AssemblyError, match="do not let bodies be there"):
        lw.state_from_bodies(model, {"rocker": place}, q=q)
    fast = np.array(seen.velocities[[b.name for b in model.bodies].index("rocker")])
    fast[4] += 1e-4 * u.L / u.T
    with pytest.raises(lw.AssemblyError, match="move so"):
        lw.state_from_bodies(model, {"rocker": lw.Pose(seen.position("rocker"), seen.rotation("rocker"))}, {"rocker": fast}, q=q)


@pytest.mark.parametrize("scale", SCALES)
def test_contradictions_are_told_at_any_scale(scale):
    found = []
    for u in (DRAWN, SCALES[scale]):
        m = lw.Mechanism("torn", gravity=u.gravity())
        body = rod(m, u, "body", (0.3, 0, 0))
        m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, body)
        m.add_constraint("slow", lw.SpeedDrive(1.0 * u.L / u.T), "rail")
        m.add_constraint("slower", lw.SpeedDrive(0.999 * u.L / u.T), "rail")
        report = lw.mobility(m.build(), [0.0])
        found.append([(c.names, c.level, round(c.gap / u.L * u.T, 12)) for c in report.contradictions])
    assert found[0] == found[1]
    assert found[0][0][1] == "velocity"


@pytest.mark.parametrize("scale", SCALES)
def test_events_are_located_alike(scale):
    found = []
    for u in (DRAWN, SCALES[scale]):
        model, q, v = started(tree, u)
        event = lw.joint_reaches("shoulder", 0.05, stop=True)
        run = lw.simulate(model, 1.0 * u.T, lw.RungeKutta4(2e-3 * u.T), q=q, v=v, record_interval=0.25 * u.T, events=[event])
        assert run.status == "stopped"
        found.append(run.time[-1] / u.T)
    assert found[0] > 0.01
    assert abs(found[1] - found[0]) < 1e-10  # located to 1e-12 s, or to 1e-9 of a step if that is less


def test_the_scales_are_exact():
    """Powers of 4: products, quotients and roots of them are exact, so that they add no rounding of their own."""
    for u in SCALES.values():
        assert all(math.log2(x) % 2.0 == 0.0 for x in u)
