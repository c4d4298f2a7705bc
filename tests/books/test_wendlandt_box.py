"""J. M. Wendlandt, Control and Simulation of Multibody Systems, Berkeley 1997, section 5.3: the box on the floor, by papers/wendlandt_box.py."""

import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

sys.path.insert(0, str(Path(__file__).parents[2] / "papers"))
import wendlandt_box as paper

NEAR = {"variational": 5e-3, "Runge-Kutta": 5e-3, "implicit (Radau IIA)": 6e-3, "adaptive, 1e-8": 5e-3}
# Of a prototype of the thesis' own integrator, forces at the middles of steps: where it settles and the pose in which it does, to the digits known.
SETTLED, PLACE, TURN = 1.349, (3.274, 0.027, 0.0977), (0.0, 0.076, 0.997, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", paper.METHODS)
def test_the_box_turns_over_and_comes_to_rest_as_told(name):
    found = paper.run(paper.box(), paper.METHODS[name])
    assert found["status"] == "stopped"
    assert (found["touch"], found["first"]) == (pytest.approx(paper.TOUCH, abs=1e-9), 1)
    assert found["touched"] == [1, 2, *paper.RESTING] and found["sticking"] == list(paper.RESTING)
    assert found["settled"] == pytest.approx(SETTLED, abs=3e-3)  # s: the methods agree to 1 ms, and "at rest" is ours
    assert np.abs(np.array(found["q"][:3]) - PLACE).max() < NEAR[name]
    assert np.abs(np.abs(found["q"][3:]) - TURN).max() < NEAR[name] + 2e-3
    assert found["sideways"] < 1e-9  # m, until the impact
    assert found["q"][2] == pytest.approx(0.1 - paper.SINK, abs=2e-6)
    assert abs(found["numerical"]) < 2e-2


def test_where_the_first_vertex_touches_is_free_fall():
    """0.102 s: the height of vertex 1 falls by 0.04 t + g t^2 / 2, since the box does not turn before."""
    q, _ = paper.start(paper.box())
    lowest = paper.heights(np.array(q)).min()
    t = (-0.04 + np.sqrt(0.04**2 + 2 * 9.81 * lowest)) / 9.81
    assert 0.101 < t < 0.102


def test_exact_contact_ends_on_the_same_face_without_sinking_in():
    found = paper.run(paper.box(soft=False), lw.ContactStepping(step=paper.STEP))
    assert found["first"] == 1 and found["touch"] == pytest.approx(paper.TOUCH, abs=1e-9)
    assert found["resting"] == list(paper.RESTING)
    assert found["q"][2] == pytest.approx(0.1, abs=1e-8) and found["speed"] < 1e-10
