"""Runs through singular poses: they keep the branch of their motion, or tell by name where nothing decides it (decision 0016)."""

import warnings

import numpy as np
import pytest

import linkwork as lw
from linkwork.constraints.modes import ACCELERATION
from linkwork.integrators.system import System
from linkwork.kernels import JIT

SOLVERS = ("sparse", "articulated")
EXPLICIT = [lw.RungeKutta4(), lw.RungeKutta4(step=1e-2), lw.SemiImplicitEuler(), lw.Adaptive(), lw.Adaptive(order=8), lw.Adams()]
ALL = [*EXPLICIT, lw.Variational()]
SECONDS = 10.0 if JIT else 0.03
compiled = pytest.mark.skipif(not JIT, reason="minutes in plain Python")


def named(x):
    return (
        type(x).__name__ + "".join(f"_{getattr(x, name)}" for name in ("order", "step") if hasattr(x, name))
        if not isinstance(x, str)
        else x
    )


def parallelograms(count=1, start=0.3, speed=3.0, masses=(), gravity=9.81, ground=1.0, add=None):
    """(model, q, v, feet): cranks of 1 m that stand `start` from upright and turn with `speed`, joined by bars as long as the ground between them.

    Singular whenever the cranks are level. masses: of the cranks, then of the bars. add(mechanism): adds forces.
    """
    m = lw.Mechanism(f"{count} parallelograms", gravity=(0, 0, -gravity))
    masses = masses or [1.0] * (2 * count + 1)
    turning, place = lw.Revolute((0, 1, 0)), {}
    cranks = [m.add_body(f"crank {k}", mass=x, com=(0, 0, 0.5), inertia=(x / 12, x / 12, 1e-3)) for k, x in enumerate(masses[: count + 1])]
    for k, crank in enumerate(cranks):
        m.add_joint(f"foot {k}", turning, m.ground.at(k * ground, 0, 0), crank)
        place[f"foot {k}"] = 1.0
    for k, x in enumerate(masses[count + 1 :]):
        bar = m.add_body(f"bar {k}", mass=x, com=(0.5 * ground, 0, 0), inertia=(1e-3, x * ground**2 / 12, x * ground**2 / 12))
        m.add_joint(f"near {k}", turning, cranks[k].at(0, 0, 1), bar)
        m.add_joint(f"far {k}", turning, bar.at(ground, 0, 0), cranks[k + 1].at(0, 0, 1))
        place[f"near {k}"], place[f"far {k}"] = -1.0, 1.0
    if add is not None:
        add(m)
    model = m.build()
    along = np.zeros(model.nv)
    for name, rate in place.items():
        along[model.joint(name).v_index] = rate
    return model, start * along, speed * along, [model.joint(f"foot {k}").q_index.start for k in range(count + 1)]


def apart(q, feet):
    """The largest angle between cranks that should be parallel, rad."""
    return float(np.abs(q[..., feet] - q[..., feet[:1]]).max())


def singular_warnings(texts):
    return [str(text) for text in texts if "singular pose" in str(text)]


# Parallel to 1e-6. Variational is free off the branch within a step that ends on the singular pose: h^2 f / 2 = 1e-5 at most for accelerations f of 20 m/s^2.
def allowed(integrator):
    return 1e-5 if isinstance(integrator, lw.Variational) else 1e-6


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("integrator", ALL, ids=named)
@pytest.mark.parametrize(
    "start",
    [
        {"start": 0.0, "speed": 1.0},
        {"speed": -4.0, "masses": (1.0, 3.0, 0.5)},
        {"start": 2.0, "speed": 5.0, "ground": 2.5, "masses": (0.3, 1.0, 5.0)},
        {"count": 2, "masses": (1.0, 0.2, 4.0, 0.5, 2.0)},
        {"start": np.pi / 2, "speed": 2.0, "masses": (1.0, 3.0, 0.5)},
    ],
    ids=["upright", "unequal", "long", "two", "level"],
)
def test_a_parallelogram_left_its_branch_at_the_level_pose(start, integrator, solver):
    """Cranks that begin parallel stay so for 10 s, at the usual settings, through all level poses, and also if they begin in one."""
    if isinstance(integrator, lw.Variational) and solver != "sparse":
        pytest.skip("it has rows of its own")
    if not JIT and start.get("start") != np.pi / 2:
        pytest.skip("minutes in plain Python, until the first level pose")
    model, q, v, feet = parallelograms(**start)
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.SingularPoseWarning)
        rec = lw.simulate(model, SECONDS, integrator, q=q, v=v, solver=solver)
    assert rec.status == "finished"
    assert not JIT or np.ptp(np.floor(rec.q[:, feet[0]] / np.pi + 0.5)) >= 1.0, "it has passed level poses"
    assert apart(rec.q, feet) < allowed(integrator)
    # Dissipation at the pose would show: RungeKutta4 of 1 ms lost up to 1e-2 of the energy there.
    if isinstance(integrator, lw.RungeKutta4):
        assert rec.audit.relative < (1e-10 if integrator.step == 1e-3 else 1e-6)


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("integrator", [*EXPLICIT, lw.Variational(step=2e-3)], ids=named)
def test_forty_parallelograms_stay_parallel(integrator):
    """All forty loops are singular at once whenever the cranks are level: 41 degrees of freedom instead of one."""
    model, q, v, feet = parallelograms(40)
    rec = lw.simulate(model, 10.0, integrator, q=q, v=v)
    assert rec.status == "finished" and rec.q[-1, feet[0]] > 6.0
    assert apart(rec.q, feet) < allowed(integrator) * (4.0 if isinstance(integrator, lw.Variational) else 1.0)
    assert not singular_warnings(rec.audit.warnings)


@pytest.mark.parametrize("integrator", [lw.RungeKutta4(), lw.SemiImplicitEuler()], ids=named)
def test_copies_in_lanes_keep_their_branches(integrator):
    """Each lane passes its own level poses at its own times."""
    rng, states = np.random.default_rng(7), []
    model, _, _, feet = parallelograms(masses=(1.0, 3.0, 0.5))
    for _ in range(20 if JIT else 2):
        _, q, v, _ = parallelograms(start=rng.uniform(-3, 3), speed=rng.uniform(-6, 6))
        states.append((q, v))
    steps = round(SECONDS / integrator.step)
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.SingularPoseWarning)
        found = lw.rollout(model, *map(np.array, zip(*states, strict=True)), steps, integrator, every=10)
    assert not found.failed.any()
    assert apart(found.q, feet) < 1e-6


def change_point(lengths=(1.0, 2.0, 3.0, 4.0), speed=6.0):
    """(model, q, v) of a four-bar whose links can all lie in one line, as 1 + 4 = 2 + 3; its branches are curved in joint coordinates."""
    a, b, c, d = lengths
    m = lw.Mechanism("change point", gravity=(0, 0, -9.81))
    crank, coupler, rocker = (
        m.add_body(name, mass=x, com=(0.5 * l, 0, 0), inertia=(1e-3, x * l * l / 12, x * l * l / 12))
        for name, x, l in (("crank", 1.0, a), ("coupler", 2.0, b), ("rocker", 1.5, c))
    )
    turning = lw.Revolute((0, -1, 0))  # from x to z
    m.add_joint("A", turning, m.ground, crank)
    m.add_joint("B", turning, crank.at(a, 0, 0), coupler)
    m.add_joint("D", turning, m.ground.at(d, 0, 0), rocker)
    m.add_joint("C", turning, coupler.at(b, 0, 0), rocker.at(c, 0, 0))
    model = m.build()
    P = a * np.array([np.cos(1.0), np.sin(1.0)])
    r = np.array([d, 0.0]) - P
    angle = np.arctan2(r[1], r[0]) + np.arccos((r @ r + b * b - c * c) / (2 * np.hypot(*r) * b))
    C = P + b * np.array([np.cos(angle), np.sin(angle)])
    rocks = np.arctan2(C[1], C[0] - d)
    q, v = np.zeros(4), np.zeros(4)
    for name, value in (("A", 1.0), ("B", angle - 1.0), ("D", rocks), ("C", rocks - angle)):
        q[model.joint(name).q_index] = value
    q = lw.assemble(model, q)
    motion = lw.mobility(model, q).motions[0]
    v = motion * speed / motion[model.joint("A").v_index]
    return model, q, v


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("solver", SOLVERS)
def test_methods_agree_on_a_curved_branch(solver):
    """Off the constraints, as stages are, rows of a curved branch spoil accelerations by phi / x^3: all methods keep one branch, with their own errors."""
    model, q, v = change_point()
    exact = lw.simulate(model, 3.0, lw.RungeKutta4(step=2e-4), q=q, v=v, solver=solver)
    corner = np.sin(exact["C"])
    assert np.sum(corner[1:] * corner[:-1] < 0) >= 3, "it has passed the line of all links, and changed its side there"
    for integrator, error in (
        (lw.RungeKutta4(), 1e-5),
        (lw.Adaptive(), 1e-4),
        (lw.Adaptive(order=8), 1e-4),
        (lw.Adams(), 1e-4),
        (lw.Variational(), 1e-2),
    ):
        rec = lw.simulate(model, 3.0, integrator, q=q, v=v, solver=solver)
        assert np.abs(rec.q - exact.q).max() < error, integrator
        assert not singular_warnings(rec.audit.warnings)


def slider_crank(angle, speed=0.0):
    """(model, q, v): crank and rod of 1 m, slider on a line through the shaft. At 90 degrees the rod may turn with the crank about the shaft."""
    m = lw.Mechanism("slider-crank", gravity=(0, 0, -9.81))
    crank, rod = (m.add_body(name, mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.09, 0.09)) for name in ("crank", "rod"))
    slider = m.add_body("slider", mass=1.0, inertia=(0.01, 0.01, 0.01))
    turning = lw.Revolute((0, -1, 0))
    m.add_joint("shaft", turning, m.ground, crank)
    m.add_joint("knee", turning, crank.at(1, 0, 0), rod)
    m.add_joint("way", lw.Prismatic((1, 0, 0)), m.ground, slider)
    m.add_joint("pin", turning, slider, rod.at(1, 0, 0))
    model = m.build()
    q, v = np.zeros(4), np.zeros(4)
    for name, value, rate in (
        ("shaft", angle, 1.0),
        ("knee", -2 * angle, -2.0),
        ("way", 2 * np.cos(angle), -2 * np.sin(angle)),
        ("pin", -angle, -1.0),
    ):
        q[model.joint(name).q_index], v[model.joint(name).v_index] = value, speed * rate
    return model, q, v


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("start", [(0.5, 4.0), (np.pi / 2, 1.0)], ids=["beside it", "in it"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_slider_crank_of_equal_lengths_keeps_its_slider_moving(start, solver):
    model, q, v = slider_crank(*start)
    shaft, knee = (model.joint(name).q_index.start for name in ("shaft", "knee"))
    for integrator in ALL:
        rec = lw.simulate(model, 5.0, integrator, q=q, v=v, solver=solver)
        assert rec.q[-1, shaft] > 9.0 and np.abs(2 * rec.q[:, shaft] + rec.q[:, knee]).max() < 1e-6, integrator


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("bar", [0.5, 1e-8], ids=["a bar", "a bar without mass, whose rows are chosen with care"])
@pytest.mark.parametrize("integrator", EXPLICIT, ids=named)
def test_a_driven_crank_goes_through_the_level_pose(integrator, bar):
    """Rows that depend on time: the places before and behind the pose are those of the drive at their own times."""
    m, q, v, feet = _driven(bar)
    rec = lw.simulate(m, 5.0, integrator, q=q, v=v)
    assert rec.status == "finished" and rec.q[-1, feet[0]] > 10.0
    assert apart(rec.q, feet) < 1e-6
    assert not singular_warnings(rec.audit.warnings)


def _driven(mass=0.5):
    built, q, v, feet = parallelograms(masses=(1.0, 3.0, 0.5), start=0.3, speed=2.0)
    m = lw.Mechanism("driven", gravity=(0, 0, -9.81))
    turning = lw.Revolute((0, 1, 0))
    a, b = (m.add_body(name, mass=x, com=(0, 0, 0.5), inertia=(x / 12, x / 12, 1e-3)) for name, x in (("crank 0", 1.0), ("crank 1", 3.0)))
    bar = m.add_body("bar 0", mass=mass, com=(0.5, 0, 0), inertia=(2e-3 * mass, mass / 12, mass / 12))
    first = m.add_joint("foot 0", turning, m.ground, a)
    m.add_joint("foot 1", turning, m.ground.at(1, 0, 0), b)
    m.add_joint("near 0", turning, a.at(0, 0, 1), bar)
    m.add_joint("far 0", turning, bar.at(1, 0, 0), b.at(0, 0, 1))
    m.add_constraint("drive", lw.Drive(lambda t: 0.3 + 2.0 * t), first)
    model = m.build()
    for name in ("foot 0", "foot 1", "near 0", "far 0"):
        assert model.joint(name).q_index == built.joint(name).q_index
    return model, q, v, feet


# ---- forces and reactions near the pose


MASSES = (1.0, 3.0, 0.5)
INERTIA = (MASSES[0] + MASSES[1]) / 3 + MASSES[2]  # of cranks about their feet, and of the bar, which goes round in a circle
STIFFNESS = 1e5  # N m/rad or N/m: met with 3 rad/s, it is pressed in by 13 mrad within 7 ms


def with_stop(place, kind, start=np.pi / 2 - 0.2):
    """(model, q, v, feet): no weight; a stop that the first crank meets `place` rad behind the level pose, at its joint or beneath its tip."""

    def add(m):
        if kind == "joint":
            m.add_force("stop", lw.LimitStop(STIFFNESS, upper=np.pi / 2 + place), "foot 0")
        else:
            m.add_force("stop", lw.Support(STIFFNESS), m.body("crank 0").at(0, 0, 1), m.ground.at(0, 0, -np.sin(place)))

    return parallelograms(start=start, speed=3.0, masses=MASSES, gravity=0.0, add=add)


PLACES = (-2e-2, -1e-2, -5e-3, -2e-3, -1e-3, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2)  # rad
REBOUND = 0.165  # s: 0.14 s there and back, and the stop
# RungeKutta4 of 0.5 ms and SemiImplicitEuler of 0.1 ms give back 1 +- 3e-4, the others 1 +- 6e-6, at any stop: the same 0.1 rad from the pose. Adams' steps
# grow without bound where nothing accelerates, beyond the stop.
BOUNCERS = [lw.RungeKutta4(step=5e-4), lw.SemiImplicitEuler(step=1e-4), lw.Adaptive(), lw.Adaptive(order=8), lw.Adams(max_step=5e-3)]


@compiled
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["joint", "link"])
@pytest.mark.parametrize("integrator", BOUNCERS, ids=named)
def test_a_stop_near_a_singular_pose_gave_back_another_speed(integrator, kind, solver):
    """Forces were averaged over 32 mrad along the branch: a stiff stop gave back 0.84 to 1.23 of the speed."""
    for place in PLACES:
        model, q, v, feet = with_stop(place, kind)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.SingularPoseWarning)  # some come to rest within 1e-5 rad of the pose
            rec = lw.simulate(model, REBOUND, integrator, q=q, v=v, solver=solver)
        assert rec.status == "finished"
        assert apart(rec.q, feet) < 1e-6
        assert rec.v[-1, feet[0]] == pytest.approx(-3.0, rel=1e-3), place


@compiled
@pytest.mark.parametrize("kind", ["joint", "link"])
def test_copies_met_a_stop_near_a_singular_pose_like_one(kind):
    """The same in lanes, each of which meets the stop at a time of its own."""
    for place in PLACES:
        model, q, v, feet = with_stop(place, kind)
        speeds = np.linspace(0.95, 1.05, 11)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.SingularPoseWarning)
            found = lw.rollout(model, np.tile(q, (11, 1)), speeds[:, None] * v, 350, lw.RungeKutta4(step=5e-4), every=350)
        assert not found.failed.any()
        last = found.v[:, -1, feet[0]]
        assert last == pytest.approx(-3.0 * speeds, rel=1e-3), place


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["joint", "link"])
def test_accelerations_under_a_stiff_force_in_the_zone_are_those_of_the_branch(kind, solver):
    """The whole force acts on the one degree of freedom, at every distance: theta'' = torque / inertia. Powers are those of the state too."""
    model, q, v, feet = with_stop(-5e-3, kind, start=1.2)
    sim = lw.Simulation(model, q=q, v=v, solver=solver)
    sim.step(1)
    along = v / v[feet[0]]
    for x in (-4e-3, -1.5e-3, -1e-4, -1e-8, 1e-6, 5e-4, 1.9e-3):
        angle = np.pi / 2 + x
        depth = x + 5e-3 if kind == "joint" else np.sin(x) + np.sin(5e-3)
        torque = -STIFFNESS * depth * (1.0 if kind == "joint" else np.cos(x))
        acts = sim.system.evaluate(0.0, angle * along, 3.0 * along)
        # 1e-9 by formula (1), whose forces on links are carried along in the axes of the links; rounding of the rows at its places adds 1e-8
        assert acts.vdot[feet] == pytest.approx(torque / INERTIA, rel=1e-7, abs=1e-6)
        assert acts.powers[0] == pytest.approx(3.0 * torque, rel=1e-12, abs=1e-9)


def force_in_far_joint(angle, speed, gravity=9.81):
    """|F| of the joint between the bar and the second crank, N, by hand: it grows as 1 / cos(angle)."""
    first, second, bar = MASSES
    s, c = np.sin(angle), np.cos(angle)
    vdot = gravity * s * (0.5 * (first + second) + bar) / INERTIA
    Fz = 0.5 * bar * (gravity - vdot * s - speed**2 * c)
    Fx = s * (0.5 * second * gravity + Fz) / c - second / 3 * vdot / c
    return np.hypot(Fx, Fz)


@compiled
@pytest.mark.parametrize("solver", SOLVERS)
def test_reactions_beside_a_singular_pose_were_those_of_rounding(solver):
    """Rounding of the rows left 1e-16 x'^2 / x^3 in accelerations, and so in reactions: 2.5e-3 of them 7e-5 rad from the pose."""
    model, q, v, feet = parallelograms(masses=MASSES, speed=5.0)
    rough = lw.simulate(model, 0.4, q=q, v=v, solver=solver, record_interval=1e-3)
    k = int(np.argmax(rough.q[:, feet[0]] > np.pi / 2))
    passes = rough.time[k] - (rough.q[k, feet[0]] - np.pi / 2) / rough.v[k, feet[0]]
    ways = np.array([-3e-3, -1e-3, -4e-4, -2e-4, -7e-5, 7e-5, 2e-4, 4e-4, 1e-3, 3e-3])  # rad
    rec = lw.simulate(model, times=passes + ways / rough.v[k, feet[0]], q=q, v=v, solver=solver, record=("q", "v", "reactions"))
    found = np.linalg.norm(rec["far 0", "reaction"][:, 3:], axis=1)
    exact = force_in_far_joint(rec.q[:, feet[0]], rec.v[:, feet[0]])
    assert np.all(np.abs(rec.q[4:6, feet[0]] - np.pi / 2) < 1e-4) and exact.max() > 1e3
    # 1e-6: accelerations of the branch are good to 1e-8; in the zone's outer part and beyond it rounding leaves 1e-16 v^2 / x^3
    assert found == pytest.approx(exact, rel=1e-6)
    assert not any("without bound" in text for text in rec.audit.warnings)


def test_a_sample_in_a_singular_pose_says_that_its_reactions_are_unbounded():
    model, q, v, _ = parallelograms(start=np.pi / 2, speed=2.0, masses=MASSES)
    rec = lw.simulate(model, 0.01, q=q, v=v, record=("q", "v", "reactions"))
    (text,) = [text for text in rec.audit.warnings if "without bound" in text]
    assert "t = 0 s" in text and all(repr(name) in text for name in JOINTS)
    assert not any("without bound" in text for text in lw.simulate(model, 0.01, q=q, v=v).audit.warnings), "none are recorded"


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_zone_of_a_run_that_began_near_the_pose_was_thinner(solver):
    """It was relative to what the run had passed: a run from 3 mrad took rounding for accelerations where others did not. It is a matter of the state."""
    speed, gap = 5.0, 1e-16  # phi = x y: what rounding leaves
    found = []
    for start in (1.2, 0.2, 1e-2, 3e-3, 1e-3, 0.0):
        for moving in (1.0, 0.0) if start > 0.0 else (1.0,):
            model, q, v, feet = parallelograms(start=np.pi / 2 - start, speed=moving, masses=MASSES)
            sim = lw.Simulation(model, q=q, v=v, solver=solver)
            sim.step(1)
            along = parallelograms(start=1.0)[1]
            for x in (1e-4, 5e-4, 1.5e-3):
                q1, v1 = (np.pi / 2 - x) * along, speed * along
                far = model.joint("far 0").q_index.start
                for values, change in ((q1, gap / x), (v1, speed * gap / x**2)):
                    values[feet[1]] += change
                    values[far] -= change
                found.append(sim.system.evaluate(0.0, q1, v1).vdot)
    found = np.reshape(found, (-1, 3, model.nv))
    exact = [9.81 * np.cos(x) * (0.5 * (MASSES[0] + MASSES[1]) + MASSES[2]) / INERTIA for x in (1e-4, 5e-4, 1.5e-3)]
    assert np.array_equal(found, np.broadcast_to(found[:1], found.shape)), "whatever the run has seen"
    # 1e-7: formula (1) and the rounding of rows at its places; without it 3e-2, 3e-4 and 1e-6
    assert found[0][:, feet[1]] == pytest.approx(exact, abs=1e-7)


# ---- what cannot be decided


JOINTS = ("foot 0", "foot 1", "near 0", "far 0")


@pytest.mark.parametrize("integrator", [*ALL, lw.EnergyMomentum(step=1e-2)], ids=named)
def test_rest_in_a_singular_pose_is_told_by_name(integrator):
    """Level cranks at rest may fall as a parallelogram, or cross."""
    model, q, v, _ = parallelograms(start=np.pi / 2, speed=0.0, masses=(1.0, 3.0, 0.5))
    with pytest.warns(lw.SingularPoseWarning, match="singular pose at t = 0 s"):
        rec = lw.simulate(model, 0.05, integrator, q=q, v=v)
    (text,) = singular_warnings(rec.audit.warnings)
    assert all(repr(name) in text for name in JOINTS)


def test_balance_in_a_singular_pose_is_told_by_name():
    """The slider-crank that stands upright does not even begin to move."""
    model, q, v = slider_crank(np.pi / 2)
    with pytest.warns(lw.SingularPoseWarning, match="'shaft', 'knee', 'way' and 'pin'"):
        lw.simulate(model, 0.05, q=q, v=v)


@compiled
@pytest.mark.parametrize("integrator", [i for i in ALL if not isinstance(i, lw.SemiImplicitEuler)], ids=named)
def test_coming_to_rest_in_a_singular_pose_is_told_by_name(integrator):
    """Thrown up so that the cranks come to rest level, within 1e-5 rad: they go back the way they came, but need not. (Euler's error is larger than that.)"""
    model, q, v, feet = parallelograms(start=2.2, speed=-1.0, masses=(1.0, 3.0, 0.5))
    level = parallelograms(start=np.pi / 2)[1]
    begins, ends = lw.energy(model, q, v), lw.energy(model, level, 0.0 * v)
    v = v * np.sqrt((ends.potential - begins.potential) / begins.kinetic)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", lw.SingularPoseWarning)
        rec = lw.simulate(model, 1.0, integrator, q=q, v=v)
    assert apart(rec.q, feet) < allowed(integrator)
    assert any(all(repr(name) in str(w.message) for name in JOINTS) for w in caught if w.category is lw.SingularPoseWarning)
    assert singular_warnings(rec.audit.warnings)


def test_a_method_that_cannot_leave_a_singular_start_says_so():
    """EnergyMomentum chooses its rows at the start: in a singular pose they are too few for what follows."""
    model, q, v, _ = parallelograms(start=np.pi / 2, speed=2.0, masses=(1.0, 3.0, 0.5))
    with pytest.warns(lw.SingularPoseWarning, match="'foot 0'"):
        lw.simulate(model, 0.02, lw.EnergyMomentum(step=1e-2), q=q, v=v)


def test_copies_at_rest_in_a_singular_pose_are_told():
    model, level, still, _ = parallelograms(start=np.pi / 2, speed=0.0, masses=(1.0, 3.0, 0.5))
    _, q, v, _ = parallelograms()
    with pytest.warns(lw.SingularPoseWarning, match="of copy 1 .and in 1 more"):
        lw.rollout(model, np.array([q, level, level]), np.array([v, still, still]), 20)


def test_in_a_rollout_a_pose_that_proved_to_be_regular_hid_all_later_ones(monkeypatch):
    """Steps keep the first pose that they flag. Where that one is regular (here: said to be, once), the copy is examined sample by sample."""
    model, level, still, _ = parallelograms(start=np.pi / 2, speed=0.0, masses=(1.0, 3.0, 0.5))
    said = iter((True, False))
    monkeypatch.setattr("linkwork.integrators.system.is_regular", lambda *_: next(said))
    with pytest.warns(lw.SingularPoseWarning, match="of copy 0:"):
        lw.rollout(model, level[None], still[None], 20, every=5)


# ---- what is not near any


@pytest.mark.parametrize("solver", SOLVERS)
def test_away_from_singular_poses_nothing_is_changed(solver):
    """Accelerations are the solver's, bit by bit, at every pose of a four-bar that has no singular one."""
    model = lw.shipped("four-bar").mechanism.build()
    system = System(model, (), solver=solver)
    sim = lw.Simulation(model, solver=solver)
    moved = 0.0
    for _ in range(10):
        sim.step(20 if JIT else 2)
        state = sim.state
        regular = system.evaluate(state.t, state.q, state.v).vdot
        place = system.workspace
        place.tree.q[:], place.tree.v[:] = state.q, state.v
        place.evaluate(system, state.t, ACCELERATION)
        assert np.array_equal(regular, place.tree.vdot)
        moved = max(moved, float(np.abs(state.v).max()))
    assert moved > 0.0
    assert sim.system.ambiguous_branch is None


def test_a_run_through_singular_poses_resumes_to_the_same_bits(tmp_path):
    """What is known of the rows on the way belongs to the state of a run."""
    model, q, v, _ = parallelograms(masses=(1.0, 3.0, 0.5))
    whole = lw.simulate(model, 0.6, q=q, v=v)
    half = lw.Simulation(model, q=q, v=v)
    half.run(0.3)
    half.save_checkpoint(tmp_path / "run.ckpt")
    resumed = lw.Simulation.resumed(tmp_path / "run.ckpt", model, q=q, v=v)
    assert np.array_equal(resumed.run(0.3).q, whole.q)


@compiled
@pytest.mark.parametrize("integrator", [lw.RungeKutta4(1e-3), lw.RungeKutta4(2e-3), lw.SemiImplicitEuler(1e-3)], ids=named)
def test_bennetts_linkage_passes_its_regular_pose_on_one_line_without_a_warning(integrator):
    """Its links lie on one line, and its rank is clear: singular values 1.97, 1.52 and 0.95. Solvers took rows in their order, one of them hardly
    independent of those before: the pose was told as one where branches of motion cross."""
    twists, lengths = (0.7, 1.1, 0.7, 1.1), (1.0, np.sin(1.1) / np.sin(0.7)) * 2
    m, hinge = lw.Mechanism("Bennett"), lw.Revolute((0, 0, 1))
    bodies = [m.ground, *(m.add_body(f"link {k}", mass=1.0, com=(lengths[k] / 2, 0, 0), inertia=(0.01, 0.1, 0.1)) for k in (1, 2, 3))]
    far = [
        lw.Pose((a, 0, 0), ((1, 0, 0), (0, np.cos(t), -np.sin(t)), (0, np.sin(t), np.cos(t)))) for a, t in zip(lengths, twists, strict=True)
    ]
    for k in (1, 2, 3):
        m.add_joint(f"hinge {k}", hinge, bodies[k - 1].at(far[k - 1]), bodies[k])
    m.add_joint("hinge 4", hinge, bodies[3].at(far[3]), m.ground)
    model = m.build()
    q = lw.assemble(model, [0.0, -np.pi, 0.0, -np.pi])
    assert lw.mobility(model, q).dof == 1
    v = lw.project_velocity(model, q, 0.3 * np.array([1.0, 0.2536, -1.0, -0.2536]))
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.SingularPoseWarning)
        run = lw.simulate(model, 0.5, integrator, q=q, v=v)
        lw.rollout(model, q[None], v[None], 50, integrator)
    assert not singular_warnings(run.audit.warnings)
    assert np.abs(run.q[-1] - run.q[0]).max() > 0.1
