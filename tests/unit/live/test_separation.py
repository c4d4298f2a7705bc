"""An edit that puts bodies into each other moves them apart at once and says so; where it cannot, it is refused and nothing has changed."""

import warnings

import numpy as np
import pytest

import linkwork as lw


def boxes():
    """Two boxes, one on the other, on a floor."""
    live = lw.Live()
    live.add_floor()
    for k in (0, 1):
        live.add_body(f"box {k}", shape=lw.Box(0.2, 0.2, 0.2), density=500, pose=(0, 0, 0.1 + 0.2 * k))
    return live


def deepest(live):
    return min((touch.gap for touch in lw.contacts(live.model, live.q)), default=0.0)


def test_bodies_that_do_not_overlap_stay_where_they_are_put():
    live = boxes()
    assert live.last_edit.apart == "" and live.last_edit.moved == 0.0
    assert [pose.translation[2] for pose in live.poses().values()] == [0.1, 0.1 + 0.2]


def test_a_body_put_into_another_is_moved_out_of_it_by_the_least_way():
    """Of two free boxes of one mass each goes half of the way; where one stands on the floor the other goes all of it."""
    live = boxes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing overlaps where the motion begins
        live.add_body("third", shape=lw.Box(0.2, 0.2, 0.2), density=500, pose=(0, 0, 0.45))
    assert live.last_edit.apart == "'box 1' and 'third' overlapped by 0.05 m and were moved apart"
    assert abs(live.last_edit.moved - 0.05) < 1e-9 and "moved apart" in str(live.last_edit)
    assert abs(live.poses()["third"].translation[2] - 0.5) < 1e-9 and abs(live.poses()["box 1"].translation[2] - 0.3) < 1e-9
    weightless = lw.Live(lw.Mechanism("pair", gravity=(0, 0, 0)))
    weightless.change_contact(True)
    for k, mass in enumerate((1.0, 3.0)):
        weightless.add_body(f"ball {k}", shape=lw.Sphere(0.1), mass=mass, pose=(0.1 * k, 0, 0))
    x = [pose.translation[0] for pose in weightless.poses().values()]
    assert np.allclose(x, (-0.075, 0.125), atol=1e-9)  # the common centre of mass, 0.075, stays, and so do they in y and z
    before = 3.0 * 0.1 / 4.0
    assert abs((x[0] + 3.0 * x[1]) / 4.0 - before) < 1e-9


def test_a_floor_lifts_what_is_below_it_and_undo_puts_it_back():
    live = lw.Live()
    live.add_body("ball", shape=lw.Sphere(0.1), density=500, pose=(0, 0, -0.5), twist=(0, 0, 0, 1.0, 0, 0))
    start = live.moment
    live.add_floor()
    assert abs(live.poses()["ball"].translation[2] - 0.1) < 1e-9 and "'ground' and 'ball'" in live.last_edit.apart
    assert np.array_equal(live.v, start.v)
    live.undo()
    assert not live.model.touches and np.array_equal(live.q, start.q)
    live.redo()
    assert abs(live.poses()["ball"].translation[2] - 0.1) < 1e-9
    again = {"lw": lw}
    exec(live.python.replace("import linkwork as lw", ""), again)  # the script says it without the words
    assert np.array_equal(again["live"].q, live.q)


def test_loops_stay_closed_and_limits_kept():
    live = lw.Live(lw.shipped("four-bar"))
    live.add_floor(live.poses()["coupler"].translation[2] + 0.005)  # crank and rocker stand on the ground, and do not touch it
    assert live.last_edit.apart and deepest(live) > -1e-6
    rows = lw.constraint_jacobian(live.model, live.q, live.v)
    assert np.abs(rows.phi).max() < 1e-9 and np.abs(rows.phi_dot).max() < 1e-9
    arm = lw.Live(lw.shipped("arm"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.LimitWarning)
        arm.add_floor(0.3)
    assert arm.last_edit.apart and deepest(arm) > -1e-6


def test_what_cannot_make_room_is_refused_and_nothing_has_changed():
    live = lw.Live(lw.shipped("four-bar"))
    before, q = live.mechanism, live.q.copy()
    with pytest.raises(
        lw.StateError, match=r"would overlap by .* m, and no motion of theirs makes room; put them elsewhere, or let them pass"
    ):
        live.add_floor(10.0)
    assert live.mechanism is before and np.array_equal(live.q, q) and live.edits == []


def test_bodies_that_overlapped_before_are_left_to_the_motion():
    m = lw.Mechanism("meant")
    for k in (0, 1):
        m.add_body(f"ball {k}", shape=lw.Sphere(0.1), density=500)
    m.add_floor(-1.0)
    document = lw.Document(m, lw.Setup(q={"ball 1.free": (0.15, 0, 0, 1, 0, 0, 0)}))
    with pytest.warns(lw.OverlapWarning):
        live = lw.Live(document)
        q = live.q.copy()
        live.add_body("far", shape=lw.Sphere(0.1), density=500, pose=(5, 0, 0))
    assert live.last_edit.apart == "" and np.array_equal(live.q[: len(q)], q)


def test_a_body_that_is_placed_or_drawn_into_another_moves_it():
    live = boxes()
    live.place("box 1", (0.19, 0, 0.1))
    assert live.last_edit.apart and deepest(live) > -1e-6 and abs(live.last_edit.moved - 0.005) < 1e-9  # two equal boxes share 10 mm
    live.undo()
    live.pose_to("box 1", (0, 0, 0), (0.15, 0, 0.1))
    assert "overlapped" in live.last_edit.apart and deepest(live) > -1e-6
