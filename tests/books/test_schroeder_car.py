"""P. Schröder, The Virtual Erector Set, MIT 1990, section 7.3: the police car, by papers/schroeder_car.py."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "papers"))
import schroeder_car as paper


def test_wheel_loads_at_rest():
    """4299 N in front and 5511 N behind, 0.0860 and 0.1102 m, 0.40 degrees nose up, by statics of the level car; 0.3 % of it moves as it tilts."""
    found = paper.statics()
    for end in ("front", "rear"):
        assert found[end] == pytest.approx(paper.STATIC[end], rel=4e-3)
    assert found["pitch"] == pytest.approx(paper.STATIC["pitch"], abs=0.01)
    front, rear = found["front"][0], found["rear"][0]
    assert 2 * (front + rear) == pytest.approx(paper.MASS * paper.G, rel=1e-6)
    # Moments about the centre of mass, of loads at the wheels' points as they stand.
    ahead = paper.HEIGHT * np.tan(np.radians(found["pitch"]))
    assert front * (paper.FRONT + ahead) == pytest.approx(rear * (paper.REAR - ahead), rel=1e-4)


@pytest.mark.slow
def test_a_slide_ends_across_the_road():
    """There is a time of turning for which the car ends at 100 degrees, on its wheels and at rest."""
    found = paper.judged(paper.slide(paper.turning_time(), settle=12.0))
    assert found["heading"] == pytest.approx(paper.TURNED, abs=0.5)
    assert not found["overturned"]
    assert found["largest_roll"] < 10.0
    assert found["speed"] > 15.0
    assert found["speed_at_end"] < 1e-3
    assert abs(found["numerical"]) < 1e-6 * found["scale"]


def test_bad_settings_overturn_it():
    assert paper.judged(paper.slide(1.0, accelerating=4.0))["overturned"]


def test_frames_do_not_change_the_motion():
    """Section 7.3 has frames of 1/30 and of 1/4 s; commands fall between frames in both."""
    ends = [paper.slide(0.3, frame=frame).sample(-1).q for frame in (1 / 30, 1 / 4)]
    np.testing.assert_allclose(ends[0], ends[1], rtol=0.0, atol=1e-5)
