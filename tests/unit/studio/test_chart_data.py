"""Numbers of charts: no peak is lost, few points are sent, and units can be read."""

import numpy as np
import pytest

from linkwork.studio.chart_data import MOST_POINTS, aligned, number_text, power_for, thinned, unit_text, vector_text


def test_thinning_keeps_every_peak_and_both_ends():
    t = np.linspace(0, 10, 5001)
    y, z = np.sin(t), np.cos(t)
    y[1234], z[4321] = 9.0, -7.0  # one sample wide
    times, (thin_y, thin_z) = thinned(t, [y, z])
    assert len(times) <= MOST_POINTS + 2 and (np.diff(times) > 0).all() and times[0] == 0.0 and times[-1] == 10.0
    assert thin_y.max() == 9.0 and thin_z.min() == -7.0
    kept = np.searchsorted(t, times)
    assert (thin_y == y[kept]).all() and (thin_z == z[kept]).all()  # no value is invented
    few = thinned(t[:10], [y[:10]])
    assert few[0] is not None and len(few[0]) == 10


def test_signals_that_were_watched_later_are_shown_from_then_on():
    t = np.arange(10.0)
    times, (a, b) = aligned([(t, t**2), (t[4:], -t[4:])])
    assert (times == t[4:]).all() and (a == t[4:] ** 2).all() and (b == -t[4:]).all()
    times, (a, b) = aligned([(t, t), (np.delete(t, 5), np.delete(t, 5))])  # one look failed: it is bridged
    assert len(a) == len(b) == len(times) == 10 and b[5] == 5.0
    assert len(aligned([(t, t), (np.zeros(0), np.zeros(0))])[0]) == 0 and len(aligned([])[0]) == 0


@pytest.mark.parametrize(
    ("largest", "now", "power"),
    [
        (1.0, 0, 0),
        (0.05, 0, 0),
        (2e-3, 0, -3),
        (3e-13, 0, -15),
        (4000.0, 0, 0),
        (2e5, 0, 3),
        (2e5, 3, 3),
        (0.0, -6, -6),
        (np.nan, 3, 3),
        (np.inf, 0, 0),
    ],
)
def test_powers_of_ten(largest, now, power):
    assert power_for(largest, now) == power
    assert power_for(largest, power) == power  # and it stays: a chart does not flicker between two


def test_units():
    assert unit_text("m", -3) == "mm" and unit_text("N m", 3) == "kN m" and unit_text("J", 0) == "J"
    assert unit_text("m or rad", -15) == "10⁻¹⁵ m or rad" and unit_text("rad", 3) == "10³ rad"


def test_numbers_read_well():
    assert [number_text(x) for x in (0.0, 1.0, 0.000123456, 1.23456e-7, 123456.0, 1.5e9, float("nan"), None)] == [
        *("0", "1", "0.0001235", "1.235e-07", "1.235e+05", "1.500e+09", "–", "–")
    ]
    assert number_text(2.5, "kg") == "2.5 kg" and vector_text((1.0, 1e-17, -2.0), "m") == "(1, 0, -2) m"
