"""A. Tasora, An optimized Lagrangian-multiplier approach for interactive multibody simulation, table 2: closed chains, by papers/tasora_chains.py."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "papers"))
import tasora_chains as paper


def test_the_printed_table_grows_faster_than_its_text_says():
    """About 1.0 in words; 1.30 over the table, 1.49 between its chains."""
    whole, chains = paper.their_exponents()
    assert whole == pytest.approx(1.30, abs=0.01)
    assert chains == pytest.approx(1.485, abs=0.005)


def test_sizes_are_those_of_rings():
    """A ring of n pieces with n balls has 6 n coordinates and 3 n rows: 180 and 360 variables."""
    for count in (20, 40):
        assert paper.TABLE_2[f"closed chain {count}"][:3] == (9 * count, 6 * count, 3 * count)


def test_motion_of_the_chain_of_20():
    """Places of an independent program, printed to 1e-6 m, after 0.25 and 0.5 s; the energy is kept to 1e-5 J of 6."""
    energy, times = paper.GOLDEN[20]
    start, error, places = paper.moved(20, tuple(times))
    assert start == pytest.approx(energy, abs=0.51e-6)
    assert error < 1e-5
    for t, rods in times.items():
        for k, (x, z) in rods.items():
            assert places[t][k][2] == pytest.approx(z, abs=1.6e-6)
            assert places[t][k][0] == pytest.approx(x or 0.0, abs=1.6e-6)


def test_an_exponent_comes_with_its_standard_error():
    rows = [{"pieces": n, "step": 3e-6 * n**1.1 * f} for n, f in ((10, 1.02), (20, 0.98), (40, 1.02), (80, 0.98))]
    slope, error = paper.exponent(rows, "step")
    assert abs(slope - 1.1) < 2.0 * error and 0.005 < error < 0.02
    assert paper.exponent([row | {"step": 2e-6 * row["pieces"]} for row in rows], "step") == pytest.approx((1.0, 0.0), abs=1e-12)


def test_time_grows_with_the_number_of_pieces():
    """Eight times the pieces take about eight times as long (measured: exponents of 0.9 to 1.1); on a busy machine anything below 1.3 is linear enough."""
    rows = paper.timed((20, 160), rounds=10, steps=50)
    assert paper.exponent(rows, "solve")[0] < 1.3
    assert all(row["solve"] < 1e-3 and row["step"] < 0.015 for row in rows)  # theirs needed 0.015 s a step for 20 pieces
