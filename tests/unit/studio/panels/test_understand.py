"""Freedoms, reactions, audit and edits, as the page tells them."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.studio.panels.understand import AuditPanel, EditsPanel, ReadingsPanel, UnderstandPanel, warnings_of
from linkwork.studio.reacting import Known
from linkwork.studio.readings import glance_rows, reaction_rows, rows_of

from ....waiting import answer, wait_for


def test_freedoms_and_redundant_constraints_by_name(at, panel):
    at("four-bar")
    understand = panel(UnderstandPanel)
    wait_for(lambda: "1 degree of freedom" in understand.head.content)
    assert (
        understand.warnings.visible
        and "3 of the 5 constraints" in understand.warnings.content
        and "&#x27;C&#x27;" in understand.warnings.content
    )
    assert "Mobility of" in understand.full.content


def test_it_looks_again_after_every_edit(at, panel):
    studio = at("four-bar")
    understand = panel(UnderstandPanel)
    wait_for(lambda: "1 degree of freedom" in understand.head.content)
    answer(studio.act(lambda live: live.remove("C")))
    wait_for(lambda: "3 degrees of freedom" in understand.head.content and not understand.warnings.visible)
    answer(studio.act(lambda live: live.undo()))
    wait_for(lambda: "1 degree of freedom" in understand.head.content)


def folding_four_bar():
    """All four links of equal length on a line: it may fold in two ways."""
    m = lw.Mechanism("folding")
    for k in range(3):
        m.add_body(f"rod {k}", shape=lw.Box(1.0, 0.05, 0.05), density=1000.0)
    places = [m.ground, m.body("rod 0"), m.body("rod 1"), m.body("rod 2")]
    m.add_joint("a", lw.Revolute((0, 1, 0)), m.ground, places[1].at(-0.5, 0, 0))
    m.add_joint("b", lw.Revolute((0, 1, 0)), places[1].at(0.5, 0, 0), places[2].at(-0.5, 0, 0))
    m.add_joint("c", lw.Revolute((0, 1, 0)), places[2].at(0.5, 0, 0), places[3].at(0.5, 0, 0))
    m.add_joint("d", lw.Revolute((0, 1, 0)), m.ground.at(1.0, 0, 0), places[3].at(-0.5, 0, 0))
    return m


def test_singular_poses_are_warned_of():
    model = folding_four_bar().build()
    found = warnings_of(lw.mobility(model, np.zeros(model.nq)))
    assert any("Singular pose: 2 freedoms here, 1 nearby" in text and tone == "bad" for text, tone in found)


def test_reactions_of_the_selected_part_say_what_is_unique(at, panel):
    studio = at("four-bar")
    readings = panel(ReadingsPanel)
    answer(studio.select("B"))
    wait_for(lambda: "reaction" in readings.values.content)
    assert "~" in readings.values.content and "least norm" in readings.values.content and "coordinate" in readings.values.content
    at("pendulum")
    answer(studio.select(studio.player.live.mechanism.joints[0].name))
    wait_for(lambda: "unique: all solutions" in readings.values.content)
    body = studio.player.live.mechanism.bodies[0].name
    answer(studio.select(body))
    wait_for(lambda: "kg" in readings.values.content)
    assert "reaction" not in readings.values.content
    answer(studio.select(None))
    wait_for(lambda: "Click a part" in readings.values.content)


def test_another_mechanism_lets_go_of_the_part_that_was_selected(at, panel):
    """Though it has a part of that name."""
    studio = at("four-bar")
    readings = panel(ReadingsPanel)
    answer(studio.select("crank"))
    wait_for(lambda: "crank" in readings.values.content)
    answer(studio.open(lambda: lw.Live(lw.shipped("four-bar"))))
    wait_for(lambda: "Click a part" in readings.values.content)
    assert studio.selected is None


def test_a_pendulum_at_rest_hangs_by_its_weight():
    mechanism = lw.Mechanism()
    mechanism.add_body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1))
    mechanism.add_joint("pivot", lw.Revolute((0, 1, 0)), "ground", lw.Place("bob", lw.Pose((0, 0, 1))))
    live = lw.Live(mechanism)
    rows = dict(reaction_rows(lw.reactions(live.model, live.q, live.v, *live.active_forces(), forces=False), "pivot"))
    assert rows["reaction"] == "(0, 0, 19.62) N" and rows["its size"] == "19.62 N"
    assert dict(rows_of(live, "bob"))["position"] == "(0, 0, -1) m"
    assert dict(rows_of(live, "pivot"))["coordinate"] == "0 rad  (0°)" and rows_of(live, "nothing") == []


@pytest.mark.parametrize("hard", [False, True])
def test_loads_have_the_hand_in_them(hard):
    """A rod that a hand holds still: with the loads that Live tells, lw.reactions finds no acceleration; without them it falls."""
    live = lw.Live(lw.shipped("pendulum"))
    live.pull("rod", (0, 0, -1), (0.8, 0, -0.6), hard=hard)
    for _ in range(180):
        live.advance(1 / 60)
    assert np.abs(live.v).max() < 1e-3  # it has come to rest
    alone = lw.reactions(live.model, live.q, live.v).vdot
    held = lw.reactions(live.model, live.q, live.v, *live.active_forces(), forces=False).vdot
    assert np.abs(alone).max() > 5.0 and np.abs(held).max() < 0.02 * np.abs(alone).max()


def test_names_are_never_markup(studio, panel, built):
    answer(studio.open(built))
    name = "<img src=x onerror=alert(1)>"
    answer(studio.act(lambda live: live.rename("puck 0", name)))
    answer(studio.select(name))
    readings = panel(ReadingsPanel)
    wait_for(lambda: "&lt;img" in readings.values.content)
    assert "<img" not in readings.values.content
    assert "<img" not in panel(EditsPanel).text.content


def test_edits_are_listed_with_the_energy_they_took(studio, panel, built):
    answer(studio.open(built))
    answer(studio.act(lambda live: live.add_joint("glue", lw.Weld(), "puck 0", lw.Place("puck 1", lw.Pose((-1, 0, 0))))))
    text = panel(EditsPanel).text.content
    assert "0.25 J lost by joining moving parts" in text and "glue" in text


def test_the_audit_is_shown(at, panel):
    studio = at("four-bar")
    studio.player.ask(lambda live: live.advance(0.1))
    audit = panel(AuditPanel)
    wait_for(lambda: "Receipt: four-bar" in audit.text.content and "0.1 s" in audit.text.content)


def known(live, current=True, t=None):
    found = lw.reactions(live.model, live.q, live.v, *live.active_forces(), t=live.time, forces=False)
    return Known(found, live.time if t is None else t, current)


def test_a_spring_tells_length_and_force_by_hookes_law():
    """k (L - L_0) = 50 (1.5 - 1.2) = 15 N."""
    live = lw.Live()
    live.add_body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), pose=(0, 0, -1.5))
    live.add_force("spring", lw.SpringDamper(50.0, length=1.2), "ground", "bob")
    assert glance_rows(live, "spring") == [("length", "1.5 m"), ("force", "15 N")]
    live.change("spring", on=False)
    assert glance_rows(live, "spring") == [("switched", "off"), ("length", "1.5 m"), ("force", "0 N")]


def test_a_distance_tells_its_gap_and_force_and_a_drive_its_torque():
    """A bob of 2 kg hangs by a rod without mass: 19.62 N. A drive holds a level arm of 4 kg by its weight times 0.5 m: 19.62 N m."""
    m = lw.Mechanism()
    m.add_body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("rail", lw.Prismatic((0, 0, 1)), "ground", "bob")
    m.add_constraint("rod", lw.Distance(1.0), "ground", "bob")
    m.add_body("arm", mass=4.0, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0))
    m.add_joint("hinge", lw.Revolute((0, 1, 0)), m.ground.at(3, 0, 0), "arm")
    m.add_constraint("drive", lw.Drive(0.0), "hinge")
    live = lw.Live(m)
    live.set_joint("rail", q=-1.0)
    assert glance_rows(live, "rod", known(live)) == [("gap", "0 m or rad"), ("reaction", "19.62 N"), ("moment", "0 N m")]
    assert dict(glance_rows(live, "drive", known(live))) == {"gap": "0 m or rad", "drives with": "19.62 N m or N"}
    assert dict(glance_rows(live, "hinge", known(live)))["reaction"] == "39.24 N"


def test_reactions_that_are_not_of_now_say_so():
    live = lw.Live(lw.shipped("pendulum"))
    assert dict(glance_rows(live, "pin"))["reaction"] == "…", "nobody has worked them out yet"
    assert dict(glance_rows(live, "pin", known(live, current=False)))["reaction"] == "…", "of another state at the same time"
    assert dict(glance_rows(live, "pin", known(live, current=False, t=7.0)))["reaction"].endswith(" N  (at 7.00 s)")
    assert dict(glance_rows(live, "pin", known(live)))["reaction"].endswith(" N")
    refused = Known(lw.SolverError("no"), live.time, True)
    assert [label for label, _ in glance_rows(live, "pin", refused)] == ["coordinate", "speed", "driven by"]
