"""Tables over time against numpy's and scipy's own interpolation."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import linkwork as lw

from ....force_cases import ROWS, TIMES, at_time, evaluated, state

COLUMN = [row[0] for row in ROWS]
INSIDE = np.linspace(TIMES[0], TIMES[-1], 61)


def over_time(kind, times):
    return np.array([evaluated(kind, np.array([0.3, 0.2, t]))[0][0] for t in times])


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_between_its_times_a_table_is_interpolated(interpolation):
    expected = np.interp(INSIDE, TIMES, COLUMN) if interpolation == "linear" else CubicSpline(TIMES, COLUMN)(INSIDE)
    assert np.allclose(over_time(lw.JointTable(TIMES, COLUMN, interpolation), INSIDE), expected, rtol=0, atol=1e-14)
    assert np.allclose(over_time(lw.JointTable(TIMES, COLUMN, interpolation), TIMES), COLUMN, rtol=0, atol=1e-15)


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_outside_the_value_holds_or_is_zero(interpolation):
    outside = [-9.0, TIMES[0] - 1e-9, TIMES[-1] + 1e-9, 9.0]
    held = over_time(lw.JointTable(TIMES, COLUMN, interpolation), outside)
    assert np.allclose(held, [COLUMN[0], COLUMN[0], COLUMN[-1], COLUMN[-1]], atol=1e-14)
    assert not over_time(lw.JointTable(TIMES, COLUMN, interpolation, outside="zero"), outside).any()


@pytest.mark.parametrize("rows", [2, 3, 500])
def test_a_table_of_any_length(rows):
    """Two rows of a cubic make a line, three a parabola; many are found by bisection."""
    times = np.sort(np.random.default_rng(rows).uniform(0, 3, rows))
    values = np.sin(4 * times)
    between = np.random.default_rng(1).uniform(times[0], times[-1], 40)
    for interpolation, expected in (("linear", np.interp(between, times, values)), ("cubic", CubicSpline(times, values)(between))):
        found = over_time(lw.JointTable(times, values, interpolation), between)
        assert np.allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_a_wrench_table_is_a_motor_at_every_time(interpolation):
    table = lw.WrenchTable(TIMES, ROWS, axes="b", interpolation=interpolation)
    for t in (0.0, 0.5, 1.7, 3.0):
        row = np.array([lw.JointTable(TIMES, [r[k] for r in ROWS], interpolation) for k in range(6)])
        row = np.array([over_time(kind, [t])[0] for kind in row])
        where = at_time(state(table, 3), t)
        motor = lw.Motor(row[:3], row[3:], axes="b")
        assert np.allclose(evaluated(table, where)[0], evaluated(motor, where)[0], atol=1e-14)


def test_a_long_table_is_said_in_a_line():
    table = lw.WrenchTable(np.arange(1000.0), np.ones((1000, 6)))
    assert repr(table) == "<WrenchTable: 1000 rows from 0 to 999 s, axes='a', reaction=True, interpolation='linear', outside='hold'>"
    assert table == lw.WrenchTable(np.arange(1000.0), np.ones((1000, 6))) != lw.WrenchTable(np.arange(1000.0), np.zeros((1000, 6)))


@pytest.mark.parametrize("kind", [lw.JointTable(TIMES, COLUMN), lw.WrenchTable(TIMES, ROWS, interpolation="cubic")])
def test_parameters_that_say_another_size_are_not_accepted(kind):
    assert kind.law_accepts(kind.law_words())
    for field, value in (
        ("count", len(TIMES) + 1),
        ("count", 1),
        ("columns", 2),
        ("columns", -1),
        ("cubic", kind.interpolation == "linear"),
    ):
        words = kind.law_words()
        given = kind.law_given(words)
        setattr(given.wrenches if isinstance(kind, lw.WrenchTable) else given, field, value)
        assert not kind.law_accepts(words), field
