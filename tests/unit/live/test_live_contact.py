"""Edits of what touches, while it runs."""

import itertools

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
    live.change_contact(False)  # the default method of Live does not step contacts
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
    live.change_contact(False)
    for edit in EDITS:
        edit(live)
    names = {"lw": lw}
    exec(live.python, names)
    assert names["live"].mechanism == live.mechanism
    assert "live.touch('a', 'b', lw.Surface(friction=0.1))" in live.python


def test_a_floor_is_added_while_it_runs():
    live = lw.Live(scene())
    live.change_contact(False)
    live.add_floor(-1.0)
    assert live.mechanism.ground.collisions == (lw.Floor(-1.0),) and not live.model.touches
    live.undo()
    assert live.mechanism.ground.collisions == ()


def test_a_change_of_surface_moves_nothing():
    live = lw.Live(scene())
    live.change_contact(False)
    live.place("a", (1, 2, 3), (0, 0, 1, 0.5, 0, 0))
    live.advance(0.1)
    before = live.q.tobytes(), live.v.tobytes()
    live.change("a", surface=lw.Surface(0.1))
    live.change_surface(lw.Surface(0.2))
    live.ignore("a", "b")
    assert (live.q.tobytes(), live.v.tobytes()) == before
