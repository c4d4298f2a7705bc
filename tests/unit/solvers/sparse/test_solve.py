"""The sparse solver: the referee's accelerations on trees and loops of every kind, the multipliers of the articulated solver where they are unique,
redundant and contradictory rows, couplings, batches, and an order whose fill is linear on chains and trees."""

import gc
import weakref

import numpy as np
import pytest

import linkwork as lw
from linkwork.constraints.modes import CONTRADICTION
from linkwork.data.lending import Data
from linkwork.data.sparse import SparseData
from linkwork.errors import SolverError, StateError
from linkwork.solvers.delassus.driver import solve_constrained
from linkwork.solvers.sparse.driver import solve_sparse
from linkwork.solvers.sparse.order import find_order, minimum_degree
from linkwork.solvers.sparse.program import analysis_of, new_sparse_data

from .... import reference as ref
from ....laws.measures import assert_close, case, size
from ....zoo import ZOO, random_loops
from ....zoo_assembly import Drawing
from ....zoo_chains import chain_between_poles, floating_ring, necklace
from ....zoo_planar import n_four_bar
from ...test_reference import in_motion

# Two ways to solve the same equations: rounding 1e-16, times the condition of J M^-1 J^T on the rows kept (1e5 or less away from singular poses).
AGREE = 1e-9


def solved(name, **build):
    """(model, q, v, tau, f_ext, what the sparse solver found, what the referee found) of an animal in motion."""
    s, tau, f_ext = in_motion(name)
    model = s.mechanism.build(**build)
    q, v = ref.state_vectors(model, s)
    forces = ref.as_vector(model, {j.name: tau.get(j.name, np.zeros(j.nv)) for j in model.joints})
    return model, q, v, forces, f_ext, solve_sparse(model, q, v, forces, f_ext), ref.solve(s, tau, f_ext)


def compare(model, found, expected):
    for joint in model.joints:
        if joint.name in expected.vdot:
            scale = 1.0 + max(map(size, expected.vdot.values()))
            assert_close(found.vdot[joint.v_index], expected.vdot[joint.name], AGREE, scale)


# ---------------------------------------------------------------------------------------------------------------------- agreement


# Next to a pose that closes only as a double root (1e-13 of a gap are 1e-6 of a turn) the rank is a matter of tolerance.
@pytest.mark.parametrize("name", [name for name, make in ZOO.items() if not make().facts.isolated])
def test_zoo(name):
    """The referee's accelerations, the rank of the articulated solver, and its multipliers if no row is redundant."""
    model, q, v, tau, f_ext, found, expected = solved(name)
    compare(model, found, expected)
    other = solve_constrained(model, q, v, tau, f_ext)
    assert found.rank == other.rank
    assert found.residual < CONTRADICTION
    if found.rank == model.nc:
        assert_close(found.multipliers, other.multipliers, AGREE, 1.0 + size(other.multipliers))


@pytest.mark.parametrize("seed", range(40))
def test_random_loops(seed):
    """Every joint kind in trees and loops, doubled joints, floating mechanisms."""
    model, _, _, _, _, found, expected = solved(seed)
    compare(model, found, expected)
    assert found.residual < CONTRADICTION


@pytest.mark.parametrize("seed", range(30))
def test_trees_as_by_articulated_bodies(seed):
    """Every joint kind, custom ones and massless intermediate links included; no constraint, so no multiplier."""
    _, model, q, v, tau, f_ext = case(seed)
    found = solve_sparse(model, q, v, tau, f_ext)
    expected = lw.forward_dynamics(model, q, v, tau, f_ext)
    assert_close(found.vdot, expected, AGREE)
    assert found.multipliers.shape == (0,) and found.rank == 0


@pytest.mark.parametrize("name", ["four-bar", "delta robot", "Stewart platform", "floating ring of hinges", "scissor lift"])
def test_any_cut_gives_the_same_motion(name):
    for joint in in_motion(name)[0].mechanism.joints:
        model, _, _, _, _, found, expected = solved(name, prefer_cut=(joint.name,))
        compare(model, found, expected)


# ------------------------------------------------------------------------------------------------------- couplings, nested meetings


def hand(fingers=3):
    """A turning arm with fingers of two hinges each, whose joints are coupled: constraints that meet inside the tree and at its root."""
    drawing = Drawing("hand", lw.Pose())
    arm = drawing.body("arm", (0.0, 0.0, 0.0), (0.5, 0.0, 0.0))
    drawing.hinge("shoulder", drawing.ground, arm, (0.0, 0.0, 0.0))
    fore = drawing.body("fore", (0.5, 0.0, 0.0), (1.0, 0.0, 0.0))
    drawing.join("elbow", lw.Universal((0, 1, 0), (0, 0, 1)), arm, fore, (0.5, 0.0, 0.0))
    for k in range(fingers):
        near, far = drawing.body(f"near {k}", (1.0, 0.1 * k, 0.0), (1.2, 0.1 * k, 0.0)), drawing.body(f"far {k}", (1.3, 0.1 * k, 0.0))
        drawing.hinge(f"knuckle {k}", fore, near, (1.0, 0.1 * k, 0.0), (0.0, 1.0, 0.2 * k))
        drawing.hinge(f"tip {k}", near, far, (1.2, 0.1 * k, 0.0), (0.0, 1.0, 0.0))
        drawing.mechanism.add_constraint(f"tendon {k}", lw.Gear(0.7), f"knuckle {k}", f"tip {k}")
    names = [f"knuckle {k}" for k in range(fingers)]
    drawing.mechanism.add_constraint("whiffletree", lw.Coupling((1.0, 1.0, -2.0)), *names)
    drawing.mechanism.add_constraint("motor", lw.Drive(_Parabola(0.3)), "shoulder")
    return drawing.mechanism


def test_couplings_meet_where_their_joints_do():
    model = hand().build()
    order = find_order(model)
    meets = {model.constraints[_owner(model, k)].name: meet for k, meet in zip(order.turn, order.meet, strict=True)}
    elbow = model.joint("elbow").links[-1]
    assert meets == {"tendon 0": elbow, "tendon 1": elbow, "tendon 2": elbow, "whiffletree": elbow, "motor": -1}


def _owner(model, block):
    row = model.constraint_tables.blocks[block]["row"]
    return next(i for i, c in enumerate(model.constraints) if c.rows.start <= row < c.rows.stop)


def test_couplings_and_drives():
    """Held exactly, with the accelerations and multipliers of the articulated solver; gear ratios and the drive's law are visible."""
    model = hand().build()
    rng = np.random.default_rng(3)
    q, v, tau = 0.3 * rng.normal(size=model.nv), rng.normal(size=model.nv), rng.normal(size=model.nv)
    found, other = solve_sparse(model, q, v, tau, t=0.4), solve_constrained(model, q, v, tau, t=0.4)
    assert found.rank == model.nc == 5
    assert_close(found.vdot, other.vdot, AGREE)
    assert_close(found.multipliers, other.multipliers, AGREE)
    by = ref.by_joint(model, found.vdot)
    assert by["shoulder"][0] == pytest.approx(0.6, abs=1e-9)
    assert by["tip 1"][0] == pytest.approx(0.7 * by["knuckle 1"][0], abs=1e-9)
    assert by["knuckle 0"][0] + by["knuckle 1"][0] == pytest.approx(2.0 * by["knuckle 2"][0], abs=1e-9)


def test_loops_within_loops_on_a_moving_base():
    """A four-bar whose coupler carries another one, on a swinging arm: two constraints meet at the same link, and one on its way to another."""
    drawing = Drawing("nested", lw.Pose())
    arm = drawing.body("arm", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    drawing.ball("hung", drawing.ground, arm, (0.0, 0.0, 0.0))
    _bars(drawing, "outer", arm, (0.0, 0.0), 1.0)
    coupler = drawing.mechanism.body("outer coupler")
    _bars(drawing, "inner", coupler, (0.2, 1.0), 0.4)
    _bars(drawing, "second", coupler, (0.7, 1.0), 0.3)
    drawing.join("ring", lw.Spherical(), drawing.mechanism.body("inner coupler"), drawing.mechanism.body("second coupler"), (0.7, 1.5, 0.0))
    model = drawing.mechanism.build()
    rng = np.random.default_rng(5)
    q, v, tau = lw.neutral(model), np.zeros(model.nv), rng.normal(size=model.nv)
    found, other = solve_sparse(model, q, v, tau), solve_constrained(model, q, v, tau)
    assert len(set(find_order(model).meet)) > 1
    assert found.rank == other.rank < model.nc
    assert_close(found.vdot, other.vdot, AGREE)
    expected = ref.solve(ref.at_rest(drawing.mechanism, drawing.poses), ref.by_joint(model, tau))
    compare(model, found, expected)


def _bars(drawing, name, base, corner, length):
    x, y = corner
    points = [np.array(p) for p in ((x, y, 0.0), (x, y + length, 0.0), (x + 0.6 * length, y + length, 0.0), (x + 0.6 * length, y, 0.0))]
    bars = [drawing.body(f"{name} {part}", a, b) for part, a, b in zip(("crank", "coupler", "rocker"), points, points[1:], strict=False)]
    for k, (a, b) in enumerate(zip([base, *bars], [*bars, base], strict=True)):
        drawing.hinge(f"{name} {k}", a, b, points[k])


@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
def test_a_drive_at_the_joint_that_closes(name):
    """There the twin cannot go first; the motion is that of the same mechanism cut elsewhere."""
    example = ZOO["four-bar"]()
    joints = [joint.name for joint in example.mechanism.joints]
    plain = find_order(example.mechanism.build())
    assert len(plain.closing) == 1
    driven = joints["abcd".index(name)]
    example.mechanism.add_constraint("drive", lw.Drive(_Parabola(0.7)), driven)
    for cut in joints:
        model = example.mechanism.build(prefer_cut=(cut,))
        assert (len(find_order(model).closing) == 0) == model.joint(driven).closes_loop
        found = solve_sparse(model, lw.neutral(model), np.zeros(4), np.arange(4.0))
        other = solve_constrained(model, lw.neutral(model), np.zeros(4), np.arange(4.0))
        assert_close(found.vdot, other.vdot, AGREE)
        assert found.rank == other.rank == 4
        assert found.vdot[model.joint(driven).v_index][0] == pytest.approx(1.4, abs=1e-9)


# ----------------------------------------------------------------------------------------------------------- redundancy, contradiction


def test_redundant_rows_are_counted_and_change_nothing():
    """A parallelogram with ever more cranks: three rows of each loop depend in the plane, one more with every further crank."""
    for cranks in (2, 3, 4):
        example = ZOO["parallelogram"].func(cranks)
        model = example.mechanism.build()
        found = solve_sparse(model, lw.neutral(model), np.zeros(model.nv))
        assert found.rank == 2 * cranks - 1
        assert found.residual < 1e-12
        assert_close(found.vdot, solve_constrained(model, lw.neutral(model), np.zeros(model.nv)).vdot, AGREE)


def test_contradiction_shows_in_the_residual():
    """Two drives that ask for different accelerations of one joint."""
    drawing = Drawing("torn", lw.Pose())
    drawing.hinge("pivot", drawing.ground, drawing.body("rod", (1.0, 0.0, 0.0)), (0.0, 0.0, 0.0))
    for k in (1.0, 2.0):
        drawing.mechanism.add_constraint(f"drive {k}", lw.Drive(_Parabola(k)), "pivot")
    model = drawing.mechanism.build()
    found = solve_sparse(model, [0.0], [0.0])
    assert found.rank == 1 and found.residual > CONTRADICTION


class _Parabola:
    """k t^2 as a piecewise polynomial, which needs no compiler."""

    def __init__(self, k):
        self.x, self.c = np.array([-10.0, 10.0]), np.array([[k], [-20.0 * k], [100.0 * k]])


# ------------------------------------------------------------------------------------------------------------------- calls and memory


def test_batches_and_threads_give_the_bits_of_single_calls():
    model, q, v, tau, _, found, _ = solved("Bricard, line-symmetric")
    rng = np.random.default_rng(1)
    taus, times = tau + rng.normal(size=(150, model.nv)), rng.uniform(size=150)
    forces = rng.normal(size=(150, model.nb, 6))
    for f_ext in (None, forces):
        one = [solve_sparse(model, q, v, taus[k], None if f_ext is None else f_ext[k], times[k]) for k in range(150)]
        for threads in (1, 3):
            many = solve_sparse(model, q, v, taus, f_ext, times, threads=threads)
            for part in range(4):
                assert np.array_equal(many[part], np.array([o[part] for o in one]))


@pytest.mark.slow
def test_the_program_is_kept_beside_the_model_and_goes_with_it():
    model = hand().build()
    q = np.zeros((200, model.nv))
    for _ in range(3):
        solve_sparse(model, q, q)
        solve_sparse(model, q[0], q[0])
    program = analysis_of(model).program
    assert analysis_of(model).program is program
    assert Data(model).record(SparseData, new_sparse_data).program is program
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_what_a_solve_keeps_can_be_looked_at():
    """Multipliers and rank of a public call, a link's pivots, and the rows of a constraint in its lanes."""
    model = hand().build()
    rng = np.random.default_rng(3)
    q, v, tau = 0.3 * rng.normal(size=model.nv), rng.normal(size=model.nv), rng.normal(size=model.nv)
    data = Data(model)
    with data.in_use():
        found = solve_sparse(model, q, v, tau, t=0.4)
    kept = data.record(SparseData)
    assert np.array_equal(kept.multipliers, found.multipliers)
    assert kept.rank == found.rank == kept.kept.sum()
    assert kept.residual == found.residual
    first = kept.program.constraints[0]
    assert first.rows == 1 and np.ravel(kept.reduced[first.pack])[0] == found.multipliers[first.row]
    assert 0.0 < kept.links[model.nv - 1].Dinv < 1e6
    assert "multipliers" in str(kept) and "D^-1, D = S^T U + armature" in str(kept.links[0])


def test_wrong_input_is_named():
    model = hand().build()
    with pytest.raises(StateError, match="q: found shape"):
        solve_sparse(model, np.zeros(3), np.zeros(model.nv))
    with pytest.raises(StateError, match="v: element"):
        solve_sparse(model, np.zeros(model.nq), np.full(model.nv, np.nan))
    with pytest.raises(StateError, match="t: element"):
        solve_sparse(model, np.zeros(model.nq), np.zeros(model.nv), t=np.inf)


def test_accelerations_that_are_not_finite_are_an_error():
    model = hand().build()
    with pytest.raises(SolverError):
        solve_sparse(model, np.zeros(model.nq), np.zeros(model.nv), np.full(model.nv, 1e308))


# ------------------------------------------------------------------------------------------------------------------------------ order


def test_fill_is_linear_on_chains_trees_and_rows_of_loops():
    """Blocks of the factor for each link: the same for any length."""
    families = (
        lambda n: chain_between_poles(n).mechanism,
        lambda n: chain_between_poles(n, "parallel").mechanism,
        lambda n: necklace(n).mechanism,
        lambda n: floating_ring(n).mechanism,
        lambda n: n_four_bar(n).mechanism,
        _comb,
    )
    for family in families:
        small, large = (find_order(family(n).build()) for n in (12, 96))
        ratio = (large.blocks / len(large.alive)) / (small.blocks / len(small.alive))
        assert 0.9 < ratio < 1.1
        # Beyond itself and its parent, a link meets a constraint or two.
        assert large.blocks < 6 * len(large.alive)


def _comb(n):
    drawing = Drawing(f"comb {n}", lw.Pose())
    back = drawing.ground
    for k in range(n):
        body, tooth = drawing.body(f"body {k}", (k + 0.5, 0.0, 0.0)), drawing.body(f"tooth {k}", (k, 0.5, 0.0))
        drawing.hinge(f"joint {k}", back, body, (k, 0.0, 0.0))
        drawing.hinge(f"root {k}", body, tooth, (k + 0.5, 0.0, 0.0))
        back = body
    return drawing.mechanism


def test_a_constraint_comes_after_all_links_of_its_path_and_before_its_meeting_link():
    for seed in range(30):
        model = random_loops(seed).mechanism.build()
        order = find_order(model)
        assert sorted(order.turn) == list(range(len(model.constraint_tables.blocks)))
        assert order.meet == sorted(order.meet, reverse=True)
        for meet, path in zip(order.meet, order.paths, strict=True):
            assert all(link > meet for link in path)
        for e, later in enumerate(order.later):
            assert all(other > e for other in later)
            # What a constraint leaves behind is a clique.
            assert all(b in order.later[a] for i, a in enumerate(later) for b in later[i + 1 :])


def test_minimum_degree_takes_a_star_from_its_rays():
    """The hub last (or next to last, when one ray is left): anything else fills the whole matrix."""
    coupled = [set(range(10)), *({0, k} for k in range(1, 10))]
    assert minimum_degree(list(range(10)), coupled).index(0) >= 8
