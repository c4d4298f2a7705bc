"""Restitution: Newton's law gains energy in some impacts with friction; what the guard leaves of it does not."""

import numpy as np
import pytest

from linkwork.data.contact_problem import EXACT, new_impact_energy
from linkwork.data.stepper import for_kernels
from linkwork.kernels import JIT
from linkwork.solvers.contact.restitution import guard_energy

from .scenes import block, random_bodies, solve


def guarded(G, u, l0, l1):
    n = len(u)
    impact = new_impact_energy(n)
    impact.n = n
    impact.G[: n * n], impact.u[:n], impact.l0[:n], impact.l1[:n] = G.ravel(), u, l0, l1
    s = guard_energy(for_kernels(impact))
    assert s == impact.share
    return s, impact


def energy(G, u, l):
    """The change of kinetic energy."""
    return l @ u + 0.5 * l @ G @ l


def test_a_ball_bounces_with_the_whole_law():
    s, impact = guarded(np.array([[2.0]]), [-3.0], [1.5], [1.5 * 1.8])
    assert s == 1.0 and impact.l[0] == 1.5 * 1.8 and impact.gained == 0.0
    assert abs(impact.energy + 0.36 * 2.25) < 1e-15  # (e^2 - 1) u^2 / (2 G), e = 0.8


def test_elastic_impacts_without_friction_keep_their_energy():
    """Rounding is not taken for a gain: s is 1 exactly."""
    J, _, G, mu = block(0.0, half=(0.5, 0.4, 0.3)).matrices()
    rng = np.random.default_rng(2)
    for _ in range(20):
        v = np.r_[0.1 * rng.standard_normal(3), rng.standard_normal(2), -3.0]
        u, approach = J @ v, np.zeros(12)
        approach[::3] = np.minimum((J @ v)[::3], 0.0)
        found, p = solve(G, u, mu)
        again, q = solve(G, u + approach, mu)
        assert found == again == EXACT
        s, impact = guarded(G, u, p.l[:12], q.l[:12])
        if set(q.status[:4]) == {2}:  # all corners bounce: T1 = -T0 whatever the spread
            assert s == 1.0 and abs(impact.energy) < 1e-13


@pytest.mark.skipif(not JIT, reason="hundreds of solves in plain Python")
def test_impacts_with_friction_gain_no_energy():
    """Random bodies, two or three contacts, mu up to 1, e up to 1: Newton's law gains in some; the guarded impulses never, and are in the cones."""
    gains, unsolved, count = 0, 0, 200
    for seed in range(count):
        rng = np.random.default_rng([12, seed])
        scene = random_bodies(rng, 1, 2 + seed % 2, 1.0, 1.0)
        J, _, G, mu = scene.matrices()
        m, e = len(mu), rng.uniform(0.3, 1.0)
        u = J @ rng.standard_normal(6)
        approach = np.zeros(3 * m)
        approach[::3] = e * np.minimum(u[::3], 0.0)
        found, p = solve(G, u, mu)
        again, q = solve(G, u + approach, mu)
        assert found == EXACT
        if (
            again != EXACT
        ):  # a body jammed between contacts has to separate from both: restitution may leave no solution, and then there is none to share
            unsolved += 1
            continue
        l0, l1 = p.l[: 3 * m].copy(), q.l[: 3 * m].copy()
        s, impact = guarded(G, u, l0, l1)
        l = impact.l[: 3 * m]
        size = 0.5 * u @ np.linalg.pinv(G) @ u + 1e-2 * max(np.abs(x) @ np.abs(G) @ np.abs(x) for x in (l0, l1))  # what sums of it round
        assert energy(G, u, l0) <= 1e-12 * size
        assert energy(G, u, l) <= 1e-12 * size and abs(energy(G, u, l) - impact.energy) <= 1e-12 * size
        assert (np.hypot(l[1::3], l[2::3]) <= mu * l[::3] * (1.0 + 1e-12) + 1e-12).all()
        assert ((G @ l + u)[::3] >= -1e-9).all()
        if s < 1.0:
            gains += 1
            assert energy(G, u, l1) > 0.0 and abs(impact.energy) <= 1e-12 * size
    assert 0 < gains < count // 2 and unsolved <= count // 25
