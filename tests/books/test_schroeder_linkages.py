"""P. Schröder, The Virtual Erector Set, MIT 1990, sections 7.4 and 7.5: linkages rooted in several ways, and welded ends, by papers/schroeder_linkages.py."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "papers"))
import schroeder_linkages as paper


@pytest.fixture(scope="module")
def exact():
    return paper.reference([1.0])[0]


def test_plain_lagrange_and_an_independent_program_agree(exact):
    """omega_z = 3.1927e-4 rad/s, v = (1.32667e-2, 9.1949e-4) m/s after one second, to half a unit of the last digit."""
    assert (np.abs(exact - paper.EXACT) < (0.51e-8, 0.51e-7, 0.51e-8)).all()


@pytest.mark.parametrize("idle", [False, True])
def test_three_beams_rooted_four_ways(exact, idle):
    """All four linkages, in one world with or without an idle body, have the exact velocities to 1e-9."""
    for way, found in paper.run_three_beams(*paper.TIGHT, idle=idle).items():
        np.testing.assert_allclose(found, exact, rtol=0.0, atol=1e-9 * np.abs(exact).max(), err_msg=way)


def test_an_idle_body_changes_nothing_at_coarse_tolerances(exact):
    """Theirs differ by 3 % between worlds with and without one; here an error is judged coordinate by coordinate."""
    alone, joined = (paper.run_three_beams(paper.RTOL, paper.ATOL, idle=idle) for idle in (False, True))
    for way, found in alone.items():
        np.testing.assert_array_equal(found, joined[way])
        np.testing.assert_allclose(found, exact, rtol=0.0, atol=1e-6)


@pytest.mark.slow
def test_printed_rows_are_states_a_little_later():
    """Each printed row but the last is the exact state 0.04 to 0.07 s after one second, within 0.4 %; the last one's v_y is a third too large."""
    for k, (_, row) in enumerate(paper.THEIRS):
        t, misfit, v_y = paper.time_of(row)
        assert 1.04 < t < 1.075
        assert misfit < 3e-3
        assert abs(v_y) < 4e-3 if k < 7 else v_y > 0.3


@pytest.mark.parametrize("way", paper.WAYS)
def test_no_energy_gain_in_a_minute(way):
    """Theirs: nine minutes without gain that shows. At rtol = 1e-6 the energy of 0.12 J stays within 3e-5 of itself."""
    found = paper.energy_of_minutes(way, duration=60.0)
    assert found["start"] == pytest.approx(0.5 * (8.41667 + 16.0) * 0.01)
    assert max(found["gain"], found["loss"]) < 3e-5 * found["start"]


def test_welded_ends():
    """Theirs drift by 1 cm in 15 s. Ours by less, at the tip only, and by nothing that shows with projection; the chain swings by radians meanwhile."""
    root = paper.run_four_beams("root", "none", 15.0)
    tip = paper.run_four_beams("tip", "none", 15.0)
    held = paper.run_four_beams("tip", "project", 15.0)
    assert root["largest"] < 1e-12
    assert 1e-7 < tip["largest"] < 1e-2
    assert held["largest"] < 1e-10
    assert held["turned"] > 2.0
    assert held["turned"] == pytest.approx(tip["turned"], rel=1e-4)


def test_a_welded_tip_stays_for_ten_minutes():
    """600 s with projection: below 1e-10 m (1e-6 was asked for); without it, centimetres."""
    held, left = (paper.run_four_beams("tip", drift, 600.0) for drift in ("project", "none"))
    assert held["status"] == left["status"] == "finished"
    assert held["largest"] < 1e-10
    assert left["largest"] > 1e-3
