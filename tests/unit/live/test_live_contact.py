"""Edits of what touches, while it runs."""

import itertools

import pytest

import linkwork as lw


def scene():
    m = lw.Mechanism("scene", gravity=(0, 0, 0))
    for name in ("a", "b"):
        m.add_body(name, shape=lw.Sphere(0.1), density=1000)
    return m


EDITS = (
    lambda live: live.add_body("c", shape=lw.Sphere(0.2), density=10.0, surface=lw.Surface(0.1)),
    lambda live: live.touch("a", "b", lw.Surface(0.1)),
    lambda live: live.ignore("a", "c"),
    lambda live: live.change("b", surface=lw.Surface(0.2, 0.1)),
    lambda live: live.change_surface(lw.Surface(1.0)),
    lambda live: live.forget_touch("b", "a"),
    lambda live: live.rename("a", "anna"),
    lambda live: live.remove("anna"),
)


def test_edits_are_undone_one_by_one_and_done_again():
    live = lw.Live(scene())
    versions = [live.mechanism.clone()]
    for edit in EDITS:
        edit(live)
        versions.append(live.mechanism.clone())
    assert all(one != other for one, other in itertools.pairwise(versions))
    for version in versions[-2::-1]:
        live.undo()
        assert live.mechanism == version
    for version in versions[1:]:
        live.redo()
        assert live.mechanism == version


def test_versions_that_nobody_holds_are_made_again_with_what_was_declared():
    from linkwork.live.design import Design

    m = scene()
    m.add_floor(-1.0, lw.Surface(0.3))
    m.touch("a", "b", lw.Surface(0.1))
    m.change("ground", surface=lw.Surface(0.4))
    m.surface, m.contact = lw.Surface(0.9), True
    kept, expected = Design(m), m.clone()
    del m
    assert kept.mechanism == expected and kept.model == expected.build()


def test_the_script_of_edits_does_them_again():
    live = lw.Live(scene())
    for edit in EDITS:
        edit(live)
    names = {"lw": lw}
    exec(live.python, names)
    assert names["live"].mechanism == live.mechanism
    assert "live.touch('a', 'b', lw.Surface(friction=0.1))" in live.python


def test_a_floor_is_added_while_it_runs():
    live = lw.Live(scene())
    live.add_floor(-1.0)
    assert live.mechanism.ground.collisions == (lw.Floor(-1.0),) and live.model.touches
    live.undo()
    assert live.mechanism.ground.collisions == ()


def test_a_change_of_surface_moves_nothing():
    live = lw.Live(scene())
    live.place("a", (1, 2, 3), (0, 0, 1, 0.5, 0, 0))
    live.advance(0.1)
    before = live.q.tobytes(), live.v.tobytes()
    live.change("a", surface=lw.Surface(0.1))
    live.change_surface(lw.Surface(0.2))
    live.ignore("a", "b")
    assert (live.q.tobytes(), live.v.tobytes()) == before


def test_live_steps_contacts_while_bodies_touch_and_as_before_when_they_do_not():
    """It was RungeKutta4 whatever it was given, so that nothing that touches could be begun or made to touch."""
    live = lw.Live(scene())
    assert live.integrator == lw.RungeKutta4()
    live.add_floor(-1.0)
    assert live.integrator == lw.ContactStepping() and live.simulation.integrator == live.integrator
    live.change_gravity((0, 0, -9.81))
    live.place("b", (1.0, 0, 0))
    live.advance(1.0)
    assert live.poses()["a"].translation[2] == pytest.approx(-0.9, abs=1e-9)
    live.undo(), live.undo(), live.undo()
    assert live.integrator == lw.RungeKutta4()
    assert lw.Live(live.document).integrator == lw.RungeKutta4() and "integrator" not in live.document.text


def test_a_method_that_was_given_stays_and_an_edit_that_it_cannot_follow_is_refused():
    live = lw.Live(scene(), lw.SemiImplicitEuler(step=2e-3))
    with pytest.raises(lw.ModelError, match="found SemiImplicitEuler, which lets bodies pass through each other"):
        live.add_floor(-1.0)
    assert not live.model.touches and live.integrator == lw.SemiImplicitEuler(step=2e-3)
    live.integrator = lw.ContactStepping(step=2e-3)
    live.add_floor(-1.0)
    assert live.integrator == lw.ContactStepping(step=2e-3) and "contact-stepping" in live.document.text


def resting():
    """A brick on a floor."""
    m = lw.Mechanism("brick")
    m.add_floor()
    m.add_body("brick", shape=lw.Box(0.2, 0.2, 0.1), density=500)
    return lw.Live(m, setup=lw.Setup(q={"brick.free": (0, 0, 0.05, 1, 0, 0, 0)}))


@pytest.mark.parametrize("stepwise", [False, True])
def test_a_hard_pull_does_not_pull_a_body_through_the_floor(stepwise):
    """The constraint that holds it counted as a joint with the ground, and what a joint joins does not touch."""
    live = resting()
    live.pull("brick", (0, 0, 0), (0.0, 0, -1.0), hard=True)
    for _ in range(10):
        assert (live.step(20) if stepwise else live.advance(0.02)).ok
    assert live.time == pytest.approx(0.2, abs=1e-9)
    assert live.poses()["brick"].translation[2] == pytest.approx(0.05, abs=1e-9)
    assert not live.pulling.hard and live.pulling.force[2] < -20.0  # it goes on with the spring, which presses
    live.release()
    live.pull("brick", (0, 0, 0), (0.3, 0, 0.5), hard=True)
    live.advance(4.0)  # no faster than lengths of the brick allow
    assert live.pulling.hard and live.poses()["brick"].translation == pytest.approx([0.3, 0, 0.5], abs=1e-3)


def test_what_helps_after_a_step_that_failed_can_take_contact():
    live = resting()
    live.add_force("spring", lw.SpringDamper(1e9, length=0.1), "brick", live.mechanism.ground.at(0, 0, 1))
    assert live.advance(0.5) == "failed"
    assert [type(remedy.integrator) for remedy in live.remedies] == [lw.ContactStepping]
    assert "Implicit" not in str(live.status)
