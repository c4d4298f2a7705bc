"""Assembly: closing gaps, holding joints, limits, and words when it cannot be done."""

import numpy as np
import pytest

import linkwork as lw


def triangle(lower=-np.inf, long=1.0):
    """Two rods on ground, one apart, joined at their tops; the rods are 1 m and `long` m."""
    m = lw.Mechanism("triangle")
    for k, length in enumerate((1.0, long)):
        rod = m.add_body(f"rod {k}", mass=1.0, com=(length / 2, 0, 0), inertia=(0.1, 0.1, 0.1))
        m.add_joint(f"foot {k}", lw.Revolute((0, -1, 0), lower=lower), m.ground.at(k, 0, 0), rod)
    m.add_joint("top", lw.Revolute((0, -1, 0)), m.body("rod 0").at(1, 0, 0), m.body("rod 1").at(long, 0, 0))
    return m.build()


def angles(model, q):
    return [float(q[model.joint(f"foot {k}").q_index][0]) for k in (0, 1)]


def gap(model, q):
    return np.max(np.abs(lw.constraint_jacobian(model, q, np.zeros(model.nv)).phi))


def test_the_nearest_branch_is_found():
    model = triangle()
    up, down = lw.assemble(model, [1.0, 0.5, 2.0]), lw.assemble(model, [-1.0, -0.5, -2.0])
    assert angles(model, up) == pytest.approx([np.pi / 3, 2 * np.pi / 3], abs=1e-9)
    assert angles(model, down) == pytest.approx([-np.pi / 3, -2 * np.pi / 3], abs=1e-9)


def test_a_batch_is_assembled_state_by_state():
    model = triangle()
    both = lw.assemble(model, [[1.0, 0.5, 2.0], [-1.0, -0.5, -2.0]])
    assert np.array_equal(both[0], lw.assemble(model, [1.0, 0.5, 2.0]))
    assert gap(model, both[1]) < 1e-10


def four_bar():
    m = lw.Mechanism("four-bar")
    sizes = {"crank": 1.0, "coupler": 2.0, "rocker": 1.5}
    bodies = {n: m.add_body(n, mass=s, com=(s / 2, 0, 0), inertia=(0.01, 0.1, 0.1)) for n, s in sizes.items()}
    hinge = lw.Revolute((0, -1, 0))
    m.add_joint("a", hinge, m.ground, bodies["crank"])
    m.add_joint("b", hinge, bodies["crank"].at(1, 0, 0), bodies["coupler"])
    m.add_joint("d", hinge, m.ground.at(2.2, 0, 0), bodies["rocker"])
    m.add_joint("c", hinge, bodies["coupler"].at(2, 0, 0), bodies["rocker"].at(1.5, 0, 0))
    return m


def test_held_joints_keep_their_coordinates_exactly():
    model = four_bar().build()
    q0 = np.zeros(model.nq)
    q0[model.joint("a").q_index], q0[model.joint("b").q_index], q0[model.joint("d").q_index] = 1.1, -0.8, 1.7
    for held in ("a", ["d"], model.joint("b")):
        q = lw.assemble(model, q0, hold=held)
        at = model.joint(held if not isinstance(held, list) else held[0]).q_index
        assert np.array_equal(q[at], q0[at])
        assert gap(model, q) < 1e-10


def test_velocities_are_projected_in_the_mass_metric():
    model = four_bar().build()
    q = lw.assemble(model, [1.1, -0.8, 0.3, 1.7])
    rng = np.random.default_rng(0)
    v0 = rng.normal(size=4)
    q, v = lw.assemble(model, q, v0)
    rows = lw.constraint_jacobian(model, q, v)
    assert np.max(np.abs(rows.phi_dot)) < 1e-12
    allowed = np.linalg.svd(rows.J)[2][3:]  # a four-bar has one freedom, in four coordinates
    assert np.max(np.abs(rows.J @ allowed.T)) < 1e-12
    assert np.max(np.abs(allowed @ lw.mass_matrix(model, q) @ (v - v0))) < 1e-12  # the change is M-orthogonal to what is allowed


def test_limits_are_respected_or_the_failure_is_explained():
    model = triangle(lower=1.2)  # the closed pose has 60 degrees = 1.047 rad
    with pytest.raises(lw.AssemblyError) as caught:
        lw.assemble(model, [1.3, 0.5, 2.0])
    assert "'top'" in str(caught.value) and "limit" in str(caught.value)
    assert set(caught.value.gaps) == {"top"} and caught.value.gaps["top"] > 1e-3
    assert caught.value.q.shape == (model.nq,)
    assert gap(model, lw.assemble(model, [1.3, 0.5, 2.0], limits=False)) < 1e-10


def test_what_cannot_close_is_named_with_its_gap():
    model = triangle(long=3.0)  # 1 + 1 < 3
    with pytest.raises(lw.AssemblyError) as caught:
        lw.assemble(model, [1.0, 0.5, 2.0])
    assert "cannot be assembled" in str(caught.value) and "'top'" in str(caught.value)
    assert caught.value.gaps["top"] == pytest.approx(1.0, abs=0.2)  # the rods end 1 m apart at best, or less with a turn traded for it


def test_a_flat_start_from_which_no_step_helps_is_disturbed():
    model = triangle()
    q = lw.assemble(model, [0.0, 0.0, 0.0])  # all rods on one line: the gap along it cannot be closed by small turns
    assert gap(model, q) < 1e-10


def test_parts_fly_together():
    model = triangle()
    motion = lw.assemble(model, [1.0, 0.5, 2.0], method="pull", tau=0.1)
    assert gap(model, motion.q) < 1e-10
    assert motion.gaps[0] > 0.1 and motion.gaps[-1] < 1e-5
    # Critically damped: after the first time constants the gaps fall like (1 + t/tau) exp(-t/tau), with no swinging back.
    late = motion.t > 0.3
    expected = motion.gaps[0] * (1 + motion.t / 0.1) * np.exp(-motion.t / 0.1)
    assert np.all(motion.gaps[late] < 3.0 * expected[late] + 1e-6)
    assert np.array_equal(motion.positions[0], [1.0, 0.5, 2.0])


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"method": "magic"}, "method"),
        ({"method": "pull", "hold": "top"}, "hold"),
        ({"method": "pull", "tau": 0.0}, "tau"),
        ({"hold": np.ones(7, bool)}, "hold"),
    ],
)
def test_wrong_options_are_refused(options, argument):
    with pytest.raises(lw.StateError) as caught:
        lw.assemble(triangle(), [1.0, 0.5, 2.0], **options)
    assert caught.value.argument == argument


def test_unknown_joints_to_hold_are_refused_by_name():
    with pytest.raises(lw.UnknownNameError, match="foot 0"):
        lw.assemble(triangle(), [1.0, 0.5, 2.0], hold="foot O")


def test_a_tree_is_assembled_already():
    m = lw.Mechanism("arm")
    m.add_joint("hinge", lw.Revolute((0, 0, 1), upper=0.5), m.ground, m.add_body("arm", mass=1.0, inertia=(1, 1, 1)))
    model = m.build()
    assert lw.assemble(model, [0.2]).tolist() == [0.2]
    assert lw.assemble(model, [0.9]).tolist() == [0.5]
    assert lw.project_velocity(model, [0.2], [3.0]).tolist() == [3.0]


def triangle_of_size(s):
    """Two rods and the ground, all lengths s times as long."""
    m = lw.Mechanism("triangle")
    for k in (0, 1):
        rod = m.add_body(f"rod {k}", mass=1.0, com=(0.5 * s, 0, 0), inertia=(0.1 * s * s,) * 3)
        m.add_joint(f"foot {k}", lw.Revolute((0, -1, 0)), m.ground.at(1.3 * k * s, 0, 0), rod)
    m.add_joint("top", lw.Revolute((0, -1, 0)), m.body("rod 0").at(s, 0, 0), m.body("rod 1").at(1.1 * s, 0, 0))
    return m


@pytest.mark.parametrize("s", [1e-3, 1.0, 1e3, 1e6, 1e9])
def test_loops_of_a_thousand_kilometres_can_be_assembled_at_the_tolerance_that_is_not_given(s):
    """1e-10 m is below rounding there: "gaps of 2.51e-10 remain; check the lengths". Angles do not depend on the size."""
    q = lw.assemble(triangle_of_size(s).build(), [1.0, 0.5, 2.0])
    assert q == pytest.approx(lw.assemble(triangle_of_size(1.0).build(), [1.0, 0.5, 2.0], tolerance=1e-14), abs=2e-7)  # 1e-10 m of 1 mm
    v = lw.project_velocity(triangle_of_size(s).build(), q, [0.0, 0.0, 0.0])
    assert (v == 0.0).all()


@pytest.mark.parametrize("s", [1e3, 1e6])
def test_loops_of_a_thousand_kilometres_run_as_small_ones_do_in_time_that_goes_with_the_root_of_the_size(s):
    def four_bar(s):
        m = triangle_of_size(s)
        m.remove("top")
        bar = m.add_body("bar", mass=1.0, com=(0.4 * s, 0, 0), inertia=(0.1 * s * s,) * 3)
        m.add_joint("left", lw.Revolute((0, -1, 0)), m.body("rod 0").at(s, 0, 0), bar)
        m.add_joint("right", lw.Revolute((0, -1, 0)), m.body("rod 1").at(1.1 * s, 0, 0), bar.at(0.9 * s, 0, 0))
        return m

    ends = []
    for size in (1.0, s):
        model, root = four_bar(size).build(), np.sqrt(size)
        start = lw.assemble(model, [1.2, 1.7, -1.2, 0.1])
        run = lw.simulate(model, 0.5 * root, lw.RungeKutta4(step=1e-3 * root), q=start, record_interval=0.1 * root)
        assert run.status == "finished"
        ends.append(run.q[-1])
    assert np.abs(ends[0] - start).max() > 0.1  # it moves
    assert ends[1] == pytest.approx(ends[0], abs=1e-8)  # 1e-10 m of the small one's gaps, over a fall of half a second
