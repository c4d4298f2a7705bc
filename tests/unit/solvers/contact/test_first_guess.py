"""What rests forms no matrix and stays at rest; islands do not know of each other; pairs that are listed are those that are needed."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.data.contact import ContactData
from linkwork.solvers.contact import points

STEP = 1e-3


def pile(count, friction=0.6, gap=0.0, places=((0.0, 0.0),)):
    """(model, q): piles of cubes of 0.1 m at some places."""
    m = lw.Mechanism("pile", gravity=(0, 0, -9.81))
    m.add_floor(surface=lw.Surface(friction=friction))
    q = []
    for x, y in places:
        for k in range(count):
            m.add_body(f"{x} {y} {k}", shape=lw.Box(0.1, 0.1, 0.1), density=1000, surface=lw.Surface(friction=friction))
            q += [x, y, 0.05 + k * 0.1 + gap * (k + 1), 1, 0, 0, 0]
    return m.build(), np.array(q)


def rungs(sim):
    return [int(n) for n in sim.system.contact.books.rungs[:5]]


@pytest.mark.parametrize(("count", "steps"), [(1, 5000), (4, 3000)])
def test_what_rests_needs_no_matrix_after_the_first_and_its_velocities_do_not_add_up(count, steps):
    model, q = pile(count)
    sim = lw.Simulation(model, lw.ContactStepping(step=STEP), q=q)
    rec = sim.run(steps * STEP)
    assert rungs(sim)[0] >= steps - 3  # of all steps, those whose first guess held
    assert abs(rec.v[-1]).max() < 1e-13  # m/s; h g = 1e-2 m/s, a stack of four multiplies its rounding by some hundred
    assert abs(rec.q[-1] - q).max() < 1e-10


def test_a_change_of_load_is_followed_at_once():
    m = lw.Mechanism("crate", gravity=(0, 0, -9.81))
    m.add_floor(surface=lw.Surface(friction=0.5))
    m.add_body("crate", shape=lw.Box(0.1, 0.1, 0.1), density=1000)
    model = m.build()
    sim = lw.Simulation(model, lw.ContactStepping(step=STEP), q=[0, 0, 0.05, 1, 0, 0, 0])
    sim.run(0.1)
    before = rungs(sim)
    sim.system.v[3] = 1.0  # pushed: it slides with mu g
    sim.method.take(1)
    assert rungs(sim)[0] == before[0]  # the old impulses are no solution any more
    assert sim.system.v[3] == pytest.approx(1.0 - 0.5 * 9.81 * STEP, abs=1e-13)


def test_piles_apart_from_each_other_move_as_each_does_alone():
    places = ((0.0, 0.0), (5.0, 0.0))
    both, q = pile(3, gap=1e-3, places=places)
    alone, q_alone = pile(3, gap=1e-3)
    sims = [lw.Simulation(model, lw.ContactStepping(step=STEP), q=start) for model, start in ((both, q), (alone, q_alone))]
    ends = [sim.run(0.3) for sim in sims]
    assert np.array_equal(ends[0].q[-1][:21], ends[1].q[-1])  # bit by bit
    assert np.array_equal(ends[0].v[-1][:18], ends[1].v[-1])


def test_pairs_that_are_listed_are_all_that_are_needed(monkeypatch):
    model, q = pile(3, gap=2e-3, places=tuple((0.101 * i, 0.3 * j) for i in range(3) for j in range(3)))
    assert model.contact_tables.npairs > points.MANY
    rng = np.random.default_rng(1)
    v = rng.normal(0, 1.0, model.nv)
    sim = lw.Simulation(model, lw.ContactStepping(step=STEP), q=q, v=v)
    for _ in range(5):
        sim.run(sim.time + 0.04)
        contact = sim.system.contact
        assert isinstance(contact, ContactData)
        shapes, bounds = contact.shapes, model.contact_tables.shapes["bound"]
        listed = set(contact.near_pairs[: contact.nnear].tolist())
        assert 0 < len(listed) < model.contact_tables.npairs
        for k, pair in enumerate(model.contact_tables.pairs):
            a, b = int(pair["a"]), int(pair["b"])
            if np.isfinite(bounds[a]) and np.isfinite(bounds[b]):
                apart = np.linalg.norm(np.array(shapes[b].p) - np.array(shapes[a].p)) - bounds[a] - bounds[b]
                assert k in listed or apart > shapes[a].reach + shapes[b].reach


def test_where_a_run_is_cut_changes_no_bit():
    model, q = pile(3, gap=1e-3)
    whole, parts = (lw.Simulation(model, lw.ContactStepping(step=STEP), q=q, v=0.3 * np.ones(model.nv)) for _ in range(2))
    whole.method.take(200)
    for steps in (1, 2, 3, 94, 100):
        parts.method.take(steps)
    assert np.array_equal(whole.system.q, parts.system.q) and np.array_equal(whole.system.v, parts.system.v)
