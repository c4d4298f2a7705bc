"""J. M. Wendlandt, Control and Simulation of Multibody Systems, Berkeley 1997, chapter 2: tables 2.1 and 2.2 of the variational integrator.

Errors are means over all steps of |x - x_ref| / (number of components). A run starts from two places, the second from a run with a fine step: here,
from the discrete momentum that these two have. Table 2.2 is run in his own coordinates (places of two point masses, two distances), and once more
as two joints: theorem 2.1 says that it is the same motion.
"""

import numpy as np
import pytest

import linkwork as lw
from linkwork.integrators.variational import Run

I = np.array([1.0, 2.0, 3.0])
OMEGA = np.array([0.0, 3.0, 4.0])
# h: errors of the quaternion, the energy, the momentum; to be met within 1 %.
TABLE_2_1 = {1e-3: (3.960e-6, 6.274e-5, 1.687e-5), 1e-2: (3.997e-4, 6.274e-3, 1.687e-3), 1e-1: (3.648e-2, 6.217e-1, 1.665e-1)}
# h: errors of positions, energy, momentum about z. The printed initial data are rounded to three decimals: 2 %.
TABLE_2_2 = {1e-3: (1.146e-5, 3.269e-4, 1.707e-4), 1e-2: (1.135e-3, 3.224e-2, 1.696e-2), 1e-1: (9.576e-2, 2.665, 1.560)}


def half_turn(a, b):
    """(c, s) of conj(a) b."""
    return a[..., :1] * b[..., :1] + (a[..., 1:] * b[..., 1:]).sum(-1, keepdims=True), (
        a[..., :1] * b[..., 1:] - b[..., :1] * a[..., 1:] - np.cross(a[..., 1:], b[..., 1:])
    )


def places(run, h, steps, every=1):
    """q after every `every` steps."""
    found = []
    for _ in range(steps // every):
        run.step(h, every)
        found.append(run.configuration())
    return np.array(found)


def turned(q, v):
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def free_body():
    m = lw.Mechanism("free body", gravity=(0.0, 0.0, 0.0))
    m.add_body("body", mass=1.0, inertia=tuple(I))
    return m.build()


def spinning(model, second, h):
    """A run that goes from (1, 0, 0, 0) at time 0 to `second` at time h, and stands there."""
    c, s = half_turn(np.array([1.0, 0, 0, 0]), second)
    L = 2.0 * I * s / h
    return Run(model, np.concatenate([np.zeros(3), second]), np.concatenate([(c * L - np.cross(s, L)) / I, np.zeros(3)]))


@pytest.fixture(scope="module")
def reference_2_1():
    """Quaternions each 1e-3 s of the run with h = 1e-4 (his reference), and what runs with longer steps start from."""
    model = free_body()
    fine = Run(model, lw.neutral(model), np.concatenate([OMEGA, np.zeros(3)]))
    seconds, done = {}, 0
    for h, steps in ((1e-4, 10), (1e-3, 100), (1e-2, 1000), (1e-1, 10000)):
        fine.step(1e-5, steps - done)
        seconds[h], done = fine.configuration()[3:], steps
    # From 1e-4 on: nine steps to 1e-3, then ten for each millisecond.
    run = spinning(model, seconds[1e-4], 1e-4)
    run.step(1e-4, 9)
    first = run.configuration()[3:]
    return model, seconds, np.concatenate([[[1.0, 0, 0, 0], first], places(run, 1e-4, 10 * 29999, 10)[:, 3:]])


@pytest.mark.parametrize("h", TABLE_2_1)
def test_table_2_1_free_rigid_body(reference_2_1, h):
    """30 s of a free body with inertia (1, 2, 3) at (0, 3, 4) rad/s. Its discrete energy and momentum are constant."""
    model, seconds, reference = reference_2_1
    steps = round(30.0 / h)
    rest = places(spinning(model, seconds[h], h), h, steps - 1)[:, 3:]
    q = np.concatenate([[[1.0, 0, 0, 0], seconds[h]], rest])
    exact = reference[:: round(h / 1e-3)][: len(q)]
    sign = np.sign((q * exact).sum(-1, keepdims=True))
    quaternion = np.linalg.norm(q * sign - exact, axis=-1).mean() / 4.0
    c, s = half_turn(q[:-1], q[1:])
    L = 2.0 * I * s / h
    energies = (L * s / h).sum(-1)
    momenta = turned(q[:-1], c * L + np.cross(s, L))
    momentum = np.linalg.norm(momenta - (0.0, 6.0, 12.0), axis=-1).mean() / 3.0
    found = quaternion, np.abs(energies - 33.0).mean(), momentum
    assert np.allclose(found, TABLE_2_1[h], rtol=0.01)
    assert np.ptp(energies) < 1e-8 and np.ptp(momenta, axis=0).max() < 1e-8, "constant to rounding: 1e-16 / h and 3e4 steps"


def test_table_2_1_finest_step(reference_2_1):
    """h = 1e-4, his reference: energy error 6.256e-7, momentum error 1.671e-7 (3 %: rounding of his positions shows), by the first and a late pair."""
    model, seconds, reference = reference_2_1
    h = 1e-4
    late = spinning(model, seconds[h], h)
    late.step(h, 20000)
    before = late.configuration()[3:]
    late.step(h)
    for first, second in ((reference[0], seconds[h]), (before, late.configuration()[3:])):
        c, s = half_turn(first, second)
        L = 2.0 * I * s / h
        assert np.isclose(abs((L * s / h).sum() - 33.0), 6.256e-7, rtol=0.03)
        momentum = turned(first, c * L + np.cross(s, L))
        assert np.isclose(np.linalg.norm(momentum - (0.0, 6.0, 12.0)) / 3.0, 1.671e-7, rtol=0.03)


# ------------------------------------------------------------------------------------------------------------------ table 2.2

M, LENGTH, GRAVITY = np.array([2.0, 3.5]), np.array([4.0, 3.0]), 9.81
X0 = np.array([[2.820, 0.025, -2.83671906], [5.085, 0.105, -4.80226605]])
V0 = np.array([[3.381, 2.506, 3.38315843], [2.497, 10.495, 2.68964157]])


def two_masses():
    """Point masses with three slides each, on strings."""
    m = lw.Mechanism("double spherical pendulum", gravity=(0.0, 0.0, -GRAVITY))
    a, b = (m.add_body(name, mass=mass) for name, mass in zip("ab", M, strict=True))
    for body in (a, b):
        m.add_joint(f"space {body.name}", lw.Translational(), m.ground, body)
    m.add_constraint("first", lw.Distance(LENGTH[0]), a, m.ground)
    m.add_constraint("second", lw.Distance(LENGTH[1]), b, a)
    return m.build()


def swung(model, second, h, steps, every=1):
    """Places from time 0 on, (.., 2, 3), of the run through X0 and `second`: p_1 = m (x_1 - x_0) / h + m g h / 2."""
    v = (second - X0) / h + 0.5 * h * np.array([0.0, 0.0, -GRAVITY])
    run = Run(model, second.ravel(), v.ravel())
    return np.concatenate([[X0, second], places(run, h, steps - 1, every).reshape(-1, 2, 3)])


@pytest.fixture(scope="module")
def reference_2_2():
    """Places each millisecond of a run with h = 5e-5: 0.25 % of the error at h = 1e-3. Its first 0.1 s give the second places."""
    model = two_masses()
    start, fine = 1e-5, Run(model, X0.ravel(), V0.ravel())
    seconds, done = {}, 0
    for h in (5e-5, *TABLE_2_2):
        fine.step(start, round(h / start) - done)
        seconds[h], done = fine.configuration().reshape(2, 3), round(h / start)
    h = 5e-5
    v = (seconds[h] - X0) / h + 0.5 * h * np.array([0.0, 0.0, -GRAVITY])
    run = Run(model, seconds[h].ravel(), v.ravel())
    run.step(h, 19)
    first = run.configuration().reshape(2, 3)
    rest = places(run, h, 20 * 29999, 20).reshape(-1, 2, 3)
    return model, seconds, np.concatenate([[X0, first], rest])


def energy_and_spin(x, h):
    """E at midpoints with differences for velocities, and the discrete momentum about z."""
    v, mid = np.diff(x, axis=0) / h, 0.5 * (x[1:] + x[:-1])
    energy = (M * (0.5 * (v**2).sum(-1) + GRAVITY * mid[..., 2])).sum(-1)
    return energy, (M * (x[:-1, :, 0] * v[..., 1] - x[:-1, :, 1] * v[..., 0])).sum(-1)


@pytest.mark.parametrize("h", TABLE_2_2)
def test_table_2_2_double_spherical_pendulum(reference_2_2, h):
    model, seconds, reference = reference_2_2
    x = swung(model, seconds[h], h, round(30.0 / h))
    exact = reference[:: round(h / 1e-3)][: len(x)]
    position = np.linalg.norm((x - exact).reshape(len(x), 6), axis=-1).mean() / 6.0
    energy, spin = energy_and_spin(x, h)
    E = (M * (0.5 * (V0**2).sum(-1) + GRAVITY * X0[:, 2])).sum()
    J = (M * (X0[:, 0] * V0[:, 1] - X0[:, 1] * V0[:, 0])).sum()
    assert np.allclose((position, np.abs(energy - E).mean(), np.abs(spin - J).mean()), TABLE_2_2[h], rtol=0.02)
    assert np.ptp(spin) < 1e-9


def test_theorem_2_1_joints_and_multipliers_give_one_motion(reference_2_2):
    """Two balls with point masses at the ends of rods: generalised coordinates, the same places. A tiny inertia keeps the spins of the rods defined."""
    masses, seconds, _ = reference_2_2
    m = lw.Mechanism("rods", gravity=(0.0, 0.0, -GRAVITY))
    parent = m.ground
    for k in range(2):
        rod = m.add_body(f"rod {k}", mass=M[k], com=(0, 0, -LENGTH[k]), inertia=(1e-9, 1e-9, 1e-9))
        m.add_joint(f"ball {k}", lw.Spherical(), parent.at(0, 0, -LENGTH[0]) if k else parent, rod)
        parent = rod
    model = m.build()
    h = 1e-2
    x = swung(masses, seconds[h], h, 100)

    def rods(x):
        """Quaternions (ball by ball) that take -z along the two rods, without spin."""
        found, last = [], np.array([1.0, 0, 0, 0])
        for way in (x[0], x[1] - x[0]):
            way = turned(last * np.array([1.0, -1.0, -1.0, -1.0]), way / np.linalg.norm(way))
            r = np.concatenate([[1.0 - way[2]], np.cross((0, 0, -1.0), way)])
            found.append(r / np.linalg.norm(r))
            w, u, a, b = last[0], last[1:], found[-1][0], found[-1][1:]
            last = np.concatenate([[w * a - u @ b], w * b + a * u + np.cross(u, b)])
        return np.concatenate(found)

    q0, q1 = rods(X0), rods(x[1])
    v = lw.difference(model, q0, q1) / h
    for _ in range(30):  # the velocities from which the first step leads to x[1]: any spin will do
        reached = Run(model, q0, v)
        reached.step(h)
        q = reached.configuration()
        k = lw.forward_kinematics(model, q)
        ends = np.array([k.pose(f"rod {i}").act((0, 0, -LENGTH[i])) for i in range(2)])
        gap = (x[1] - ends).ravel()
        J = np.concatenate([lw.jacobian(model, q, f"rod {i}")[3:] + _lever(model, k, q, i) for i in range(2)])
        v = v + np.linalg.lstsq(J, gap, rcond=None)[0] / h
        if np.abs(gap).max() < 1e-14:
            break
    run = Run(model, q0, v)
    for n in range(1, 100):
        run.step(h)
        k = lw.forward_kinematics(model, run.configuration())
        ends = np.array([k.pose(f"rod {i}").act((0, 0, -LENGTH[i])) for i in range(2)])
        assert np.abs(ends - x[n]).max() < 1e-6, "the inertia of 1e-9 is felt to about that, and grows in a chaotic motion"
    assert np.abs(x[99] - x[0]).max() > 1.0


def _lever(model, kinematics, q, i):
    """What the turn of a rod adds to the velocity of its end."""
    name = f"rod {i}"
    arm = kinematics.rotation(name) @ np.array([0.0, 0.0, -LENGTH[i]])
    return -np.cross(arm, lw.jacobian(model, q, name)[:3], axisb=0, axisc=0).reshape(3, -1)
