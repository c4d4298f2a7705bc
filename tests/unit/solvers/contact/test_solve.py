"""The complementarity problem of contacts: closed forms, laws of the answer, sets of problems, and another route to it."""

import os
import subprocess
import sys

import numpy as np
import pytest

from linkwork.data.contact_problem import (
    APPROXIMATE,
    BOX,
    EXACT,
    FAILED,
    FRICTION,
    LOWER,
    NEWTON,
    OPEN,
    SLIDE,
    STICK,
    UNILATERAL,
    UPPER,
    WARM,
)
from linkwork.kernels import JIT

from .referee import projected
from .scenes import Scene, block, bricks, faults, gravity, random_bodies, solve

compiled = pytest.mark.skipif(not JIT, reason="thousands of rounds in plain Python")
B = np.diag([1.0, 3.0, 3.0])  # a point of a body: the tangents are lighter


# One contact


def test_a_contact_that_opens_by_itself_gets_no_impulse():
    found, p = solve(B, [0.1, -5.0, 2.0], [0.7])
    assert found == EXACT and p.status[0] == OPEN and p.l[:3].tolist() == [0.0, 0.0, 0.0]
    assert p.w[:3].tolist() == [0.1, -5.0, 2.0]


def test_a_contact_sticks_up_to_its_threshold_and_slides_beyond():
    """On B diagonal, sticking needs |g_t| / 3 <= mu |g_n|."""
    for share, status in ((1.0 - 1e-9, STICK), (1.0 + 1e-9, SLIDE)):
        found, p = solve(B, [-1.0, 3.0 * 0.5 * share, 0.0], [0.5])
        assert found == EXACT and p.status[0] == status
        assert abs(p.w[0]) < 1e-15
        assert abs(p.w[1] - max(0.0, 1.5 * (share - 1.0))) < 1e-15 and p.w[2] == 0.0


def test_a_sliding_contact_has_friction_opposite_to_its_slip():
    found, p = solve(B, [-1.0, 6.0, 8.0], [0.5])
    assert found == EXACT and p.status[0] == SLIDE
    assert np.allclose(p.l[:3], [1.0, -0.3, -0.4], rtol=1e-14, atol=0.0)
    assert np.allclose(p.w[:3], [0.0, 5.1, 6.8], rtol=1e-14, atol=1e-15)


def test_a_contact_without_friction_slides_freely():
    found, p = solve(B + 0.3, [-1.0, 2.0, 0.5], [0.0])
    assert found == EXACT and p.status[0] == SLIDE and p.l[1] == p.l[2] == 0.0
    assert np.allclose(p.l[0], 1.0 / 1.3, rtol=1e-14)


def test_friction_that_presses_a_contact_on_is_counted():
    """G_nn + mu G_nt.d < 0 at rest is no solution that slides: it sticks. Where all sliding directions are sound, none is counted."""
    G = np.array([[1.0, -2.0, 0.0], [-2.0, 5.0, 0.0], [0.0, 0.0, 1.0]])
    found, p = solve(G, [-1.0, -1.0, 0.0], [1.0])
    assert found == EXACT and faults(p) < 1e-14
    assert p.painleve == 0
    found, p = solve(G, [0.2, -1.0, 0.0], [1.0])  # opens: the solution without impulses, though there is one with them
    assert found == EXACT and p.status[0] == OPEN


# Other kinds


def test_a_row_of_one_pushes_only():
    found, p = solve([[2.0]], [-3.0], kinds=[UNILATERAL])
    assert found == EXACT and p.status[0] == STICK and abs(p.l[0] - 1.5) < 1e-15
    found, p = solve([[2.0]], [3.0], kinds=[UNILATERAL])
    assert found == EXACT and p.status[0] == OPEN and p.l[0] == 0.0


@pytest.mark.parametrize(("g", "status", "l"), [(-1.0, STICK, 0.5), (-10.0, UPPER, 2.0), (1.0, STICK, -0.5), (10.0, LOWER, -1.0)])
def test_a_bounded_row_stops_motion_as_far_as_its_bounds_go(g, status, l):
    found, p = solve([[2.0]], [g], kinds=[BOX], bounds=[(-1.0, 2.0)])
    assert found == EXACT and p.status[0] == status and abs(p.l[0] - l) < 1e-15 and abs(p.w[0] - g - 2.0 * l) < 1e-15


def test_a_bounded_row_may_have_to_push():
    found, p = solve([[2.0]], [0.0], kinds=[BOX], bounds=[(1.0, 2.0)])
    assert found == EXACT and p.l[0] == 1.0 and p.w[0] == 2.0 and p.status[0] == LOWER


def test_all_kinds_in_one_problem():
    rng = np.random.default_rng(3)
    hit = set()
    for _ in range(60):
        J = rng.standard_normal((9, 8))
        kinds = [FRICTION, UNILATERAL, BOX, FRICTION, BOX]
        bounds = [(0, 0), (0, 0), (-0.1, 0.1), (0, 0), (-np.inf, np.inf)]
        found, p = solve(J @ J.T, J @ rng.standard_normal(8), [0.5, 0, 0, 0.3, 0], kinds=kinds, bounds=bounds)
        assert found == EXACT and faults(p) < 1e-10
        hit |= {(int(p.kind[c]), int(p.status[c])) for c in range(5)}
        assert abs(p.w[8]) < 1e-10  # a row without bounds holds
    assert hit == {
        (FRICTION, OPEN),
        (FRICTION, STICK),
        (FRICTION, SLIDE),
        (UNILATERAL, OPEN),
        (UNILATERAL, STICK),
        (BOX, STICK),
        (BOX, LOWER),
        (BOX, UPPER),
    }


# Blocks


def test_a_block_on_four_corners_sticks_to_rounding_on_a_slope():
    """Twelve rows of rank six; tan 0.4 = 0.42 is inside the cone."""
    scene = block(0.5, half=(0.5, 0.4, 0.2))
    J, W, G, mu = scene.matrices()
    v = gravity(scene, tilt=0.4)
    found, p = solve(G, J @ v, mu)
    assert found == EXACT and p.rung == NEWTON and set(p.status[:4]) == {STICK}
    assert np.abs(p.w[:12]).max() < 4e-15 * np.abs(v).max()
    assert np.abs(v + W @ J.T @ p.l[:12]).max() < 1e-14 * np.abs(v).max()


def test_a_resting_block_needs_no_solve_in_the_next_step():
    scene = block(0.5, half=(0.5, 0.4, 0.2))
    J, _, G, mu = scene.matrices()
    _, p = solve(G, J @ gravity(scene, tilt=0.4), mu)
    found, again = solve(G, J @ gravity(scene, tilt=0.4), mu, guess=p.l[:12])
    assert found == EXACT and again.rung == WARM and again.rounds == 0


def test_a_block_slides_down_a_slope_beyond_its_friction_angle():
    scene = block(0.5, half=(0.5, 0.4, 0.2))
    J, W, G, mu = scene.matrices()
    v = gravity(scene, tilt=0.6)
    found, p = solve(G, J @ v, mu)
    after = v + W @ J.T @ p.l[:12]
    expected = np.zeros(6)
    expected[3] = 9.81e-3 * (np.sin(0.6) - 0.5 * np.cos(0.6))
    assert found == EXACT and np.abs(after - expected).max() < 1e-15


def test_a_cube_launched_flat_neither_rises_nor_turns():
    """A convex relaxation lifts it by h mu v; here the velocity after the step is that of a sliding body, to rounding."""
    scene = block(0.5, half=(0.05, 0.05, 0.05))
    J, W, G, mu = scene.matrices()
    v = gravity(scene, step=5e-3)
    v[3] += 6.0
    found, p = solve(G, J @ v, mu)
    after = v + W @ J.T @ p.l[:12]
    expected = [0.0, 0.0, 0.0, 6.0 - 0.5 * 9.81 * 5e-3, 0.0, 0.0]
    assert found == EXACT and np.abs(after - expected).max() < 1e-14


def test_a_tall_block_tips_instead_of_sliding():
    """Half as wide as high, mu 0.8: the two lower corners hold, the upper ones open."""
    scene = block(0.8, half=(0.1, 0.2, 0.2))
    J, _, G, mu = scene.matrices()
    found, p = solve(G, J @ gravity(scene, tilt=0.6), mu)
    assert found == EXACT and list(p.status[:4]) == [OPEN, OPEN, STICK, STICK] and p.w[0] > 0.0


# Laws


def test_masses_scaled_by_a_power_of_four_leave_the_same_bits():
    """Contacts are scaled by powers of two; w is the same, l is scaled."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        scene = random_bodies(rng, 2, 5, 10.0, 0.8)
        J, _, G, mu = scene.matrices()
        g = J @ rng.standard_normal(12)
        _, p = solve(G, g, mu)
        _, q = solve(G * 4.0**-20, g, mu)
        assert p.w[:15].tobytes() == q.w[:15].tobytes() and (p.l[:15] * 4.0**20).tobytes() == q.l[:15].tobytes()


@pytest.mark.parametrize("factor", [1e-6, 1e3, 1e9])
def test_answers_do_not_depend_on_units(factor):
    rng = np.random.default_rng(6)
    for _ in range(20):
        scene = random_bodies(rng, 2, 5, 10.0, 0.5)
        J, _, G, mu = scene.matrices()
        g = J @ rng.standard_normal(12)
        found, p = solve(G, g, mu)
        again, q = solve(G / factor, g * factor, mu)
        assert found == again == EXACT and p.rung == q.rung
        assert np.abs(q.w[:15] / factor - p.w[:15]).max() < 1e-11


def test_the_same_input_gives_the_same_bits():
    rng = np.random.default_rng(7)
    scene = random_bodies(rng, 3, 9, 100.0, 1.0)
    J, _, G, mu = scene.matrices()
    g = J @ rng.standard_normal(18)
    assert solve(G, g, mu)[1].l.tobytes() == solve(G, g, mu)[1].l.tobytes()


def test_velocities_do_not_depend_on_the_order_of_contacts():
    """Friction below 0.3, where solutions are unique in velocities."""
    rng = np.random.default_rng(8)
    for _ in range(30):
        scene = random_bodies(rng, 2, 6, 10.0, 0.3)
        J, _, G, mu = scene.matrices()
        g = J @ rng.standard_normal(12)
        order = rng.permutation(6)
        rows = (3 * order[:, None] + np.arange(3)).ravel()
        found, p = solve(G, g, mu)
        again, q = solve(G[np.ix_(rows, rows)], g[rows], mu[order])
        assert found == again == EXACT
        assert np.abs(q.w[:18] - p.w[rows]).max() < 1e-10


def test_islands_are_solved_as_if_they_were_alone():
    """Four problems along the diagonal, their contacts shuffled: bits of each are those that it has alone."""
    rng = np.random.default_rng(9)
    parts, alone = [], []
    for k in range(4):
        scene = random_bodies(rng, 2, 4, 10.0, 1.5 if k == 2 else 0.3)
        J, _, G, mu = scene.matrices()
        parts.append((G, J @ rng.standard_normal(12), mu))
        alone.append(solve(*parts[-1])[1])
    G, g, mu = np.zeros((48, 48)), np.concatenate([part[1] for part in parts]), np.concatenate([part[2] for part in parts])
    for k, part in enumerate(parts):
        G[12 * k : 12 * k + 12, 12 * k : 12 * k + 12] = part[0]
    order = np.concatenate([np.arange(4) * 4 + k for k in range(4)])  # one of each in turn, each island in its own order
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    found, p = solve(G[np.ix_(rows, rows)], g[rows], mu[order])
    assert p.islands == sum(part.islands for part in alone)
    l = np.empty(48)
    l[rows] = p.l[:48]
    for k in range(4):
        assert l[12 * k : 12 * k + 12].tobytes() == alone[k].l[:12].tobytes()
    assert found == EXACT


def test_impulses_are_those_nearest_to_the_last_ones_where_they_are_not_unique():
    """A guess with self-stress in the block's face keeps it."""
    scene = block(0.8, half=(0.5, 0.4, 0.1))
    J, _, G, mu = scene.matrices()
    g = J @ gravity(scene)
    _, p = solve(G, g, mu)
    stress = np.linalg.svd(G)[2][6:]
    guess = p.l[:12] + 2e-4 * stress[0]
    found, q = solve(G, 1.001 * g, mu, guess=guess)
    assert found == EXACT and np.abs(stress @ (q.l[:12] - guess)).max() < 1e-9
    assert np.abs(stress @ guess).max() > 1e-4


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_none_are_a_failure(bad):
    scene = block(0.5)
    J, _, G, mu = scene.matrices()
    g = J @ gravity(scene)
    g[4] = bad
    found, p = solve(G, g, mu)
    assert found == FAILED and not p.residual < np.inf
    found, p = solve(G, J @ gravity(scene), mu, guess=np.full(12, bad))  # a guess may be anything
    assert found == EXACT and faults(p) < 1e-15


def test_a_problem_without_contacts_and_one_without_motion():
    found, p = solve(np.zeros((0, 0)), [])
    assert found == EXACT and p.residual == 0.0 and p.worst == -1
    scene = block(0.5)
    _, _, G, mu = scene.matrices()
    found, p = solve(G, np.zeros(12), mu, guess=np.ones(12))
    assert found == EXACT and not p.l[:12].any() and p.rung == WARM


def test_what_has_no_solution_is_not_called_solved():
    """A row that nothing moves and that approaches."""
    found, p = solve([[0.0]], [-1.0], kinds=[UNILATERAL])
    assert found == FAILED and p.residual == 1.0 and p.worst == 0
    found, p = solve([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0], kinds=[UNILATERAL] * 2)  # squeezed between two moving walls
    assert found == FAILED and p.residual > 0.1


# Sets of problems

RANDOM = [(1, 4, 1.0, 1.0, 1.0), (2, 6, 1.0, 1.0, 0.99), (3, 8, 1e2, 0.5, 0.97), (3, 12, 1e2, 2.0, 0.95), (5, 20, 1e4, 2.0, 0.75)]


@compiled
@pytest.mark.parametrize(("bodies", "contacts", "ratio", "friction", "least"), RANDOM)
def test_random_bodies_are_solved_or_said_to_be_unsolved(bodies, contacts, ratio, friction, least):
    """No silent failure: every residual that is returned is that of another formulation, within a factor. Mass ratios up to 1e4, friction up to 2."""
    solved, pressed, count = 0, 0, 60
    for seed in range(count):
        rng = np.random.default_rng([bodies, contacts, seed])
        scene = random_bodies(rng, bodies, contacts, ratio, friction)
        J, _, G, mu = scene.matrices()
        g = J @ rng.standard_normal(6 * bodies)
        found, p = solve(G, g, mu)
        wrong, most = faults(p), np.abs(g).max()
        # Residuals are judged in scaled contacts: of light bodies beside heavy ones they count by the root of the mass ratio less.
        assert wrong <= 20.0 * p.residual + 1e-13 * np.sqrt(ratio) * most * (1.0 + np.abs(p.l[: len(g)]).max())
        if found == EXACT:
            assert p.residual <= 1e-11 * np.sqrt(ratio) * most
        solved += p.residual <= 1e-10 * most
        pressed += _presses_on(p)
    assert solved >= least * count
    assert pressed > 0 or contacts < 20


def _presses_on(p):
    """The sliding contacts with G_nn + mu G_nt.d <= 0, which must be as many as the solver says."""
    n, count = p.n, 0
    for c in range(p.m):
        i = p.first[c]
        size = np.hypot(p.l[i + 1], p.l[i + 2])
        if p.status[c] == SLIDE and size > 0.0:
            count += p.G[n * i + i] + p.mu[c] * (p.G[n * i + i + 1 : n * i + i + 3] @ p.l[i + 1 : i + 3]) / size <= 0.0
    assert count == p.painleve
    return count


def _march(scene, tilts, axis):
    """Steps of a scene whose geometry stays, from the last impulses; results and rungs."""
    J, W, G, mu = scene.matrices()
    v, l, answers = np.zeros(6 * len(scene.bodies)), np.zeros(len(J)), []
    for tilt in tilts:
        v = v + gravity(scene, tilt, axis)
        found, p = solve(G, J @ v, mu, guess=l)
        l = p.l[: len(J)].copy()
        answers.append((found, p.residual / np.abs(J @ v).max()))
        v = v + W @ J.T @ l
    return answers, v


@compiled
@pytest.mark.parametrize("axis", [0, 1])
def test_two_rows_of_bricks_tilted_until_they_slide(axis):
    """Hyperstatic faces at their slip limit, on which Gauss-Seidel stalls: residuals below 1e-6 of the velocities always, and most are exact."""
    answers, v = _march(bricks(2, 2, 0.5), np.linspace(0.3, 0.7, 40), axis)
    assert np.abs(v).max() > 0.01  # they do slide
    assert max(residual for _, residual in answers) < 1e-6
    assert sum(found == EXACT for found, _ in answers) >= 36 and all(found <= APPROXIMATE for found, _ in answers)


@compiled
def test_a_wall_of_bricks_stays_at_rest():
    answers, v = _march(bricks(3, 3, 0.5), np.zeros(10), 0)
    assert all(found == EXACT for found, _ in answers)
    assert np.abs(v).max() < 1e-12 * 9.81e-3 * len(answers)


@compiled
def test_another_route_gives_the_same_velocities():
    """Projections in de Saxce's form; friction below 0.5, where velocities are unique. It does not always converge."""
    compared = 0
    for seed in range(12):
        rng = np.random.default_rng([77, seed])
        scene = random_bodies(rng, 2, 3, 10.0, 0.5)
        J, _, G, mu = scene.matrices()
        g = J @ rng.standard_normal(12)
        w, change = projected(G, g, mu, rounds=4000)
        found, p = solve(G, g, mu)
        assert found == EXACT
        if change < 1e-13 * np.abs(g).max():
            compared += 1
            assert np.abs(p.w[:9] - w).max() < 1e-10 * np.abs(g).max()
    assert compared >= 8


def test_the_law_of_friction_is_looked_at_by_the_tests():
    """`faults` finds friction along the slip, impulses outside the cone, and pulling."""
    scene = Scene()
    scene.touch(-1, scene.box(1.0, (1, 1, 1), (0, 0, 0)), (0, 0, 0), (0, 0, 1), 0.5)
    _, _, G, mu = scene.matrices()
    _, p = solve(G, [-1.0, 2.0, 0.0], mu)
    assert faults(p) < 1e-15
    for l in ([1.0, 0.5, 0.0], [1.0, -0.6, 0.0], [-1.0, 0.0, 0.0], [1.0, -0.3, 0.0]):
        p.l[:3] = l
        assert faults(p) > 0.05


PLAIN = """
import sys
import numpy as np
from linkwork.data.contact_problem import new_contact_problem
from linkwork.solvers.contact.solve import solve_contacts

given = np.load(sys.argv[1])
results = []
for k in range(int(given["count"])):
    G, g, mu = given[f"G{k}"], given[f"g{k}"], given[f"mu{k}"]
    n, m = len(g), len(mu)
    p = new_contact_problem(n, m)
    p.n, p.m, p.G[: n * n], p.g[:n], p.kind[:m], p.first[:m], p.mu[:m] = n, m, G.ravel(), g, 1, 3 * np.arange(m), mu
    results.append(np.r_[solve_contacts(p), p.rung, p.w[:n]])
np.save(sys.argv[2], np.concatenate(results))
"""


@compiled
@pytest.mark.slow
def test_plain_python_finds_what_compiled_kernels_find(tmp_path):
    """The same rung and the same velocities: blocks at rest and sliding, random bodies of moderate friction."""
    given, expected = {"count": 12}, []
    for k in range(12):
        rng = np.random.default_rng([31, k])
        scene = block(0.5, half=(0.5, 0.4, 0.2)) if k < 4 else random_bodies(rng, 2, 4, 10.0, 0.5)
        J, _, G, mu = scene.matrices()
        g = J @ (gravity(scene, 0.2 * k) if k < 4 else rng.standard_normal(12))
        given |= {f"G{k}": G, f"g{k}": g, f"mu{k}": mu}
        found, p = solve(G, g, mu)
        expected.append(np.r_[found, p.rung, p.w[: len(g)]])
    np.savez(tmp_path / "given.npz", **given)
    command = [sys.executable, "-c", PLAIN, str(tmp_path / "given.npz"), str(tmp_path / "found.npy")]
    subprocess.run(command, env=os.environ | {"LINKWORK_JIT": "0"}, check=True)
    assert np.abs(np.load(tmp_path / "found.npy") - np.concatenate(expected)).max() < 1e-12
