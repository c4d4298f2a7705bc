import math

import pytest

from linkwork.errors import ModelError
from linkwork.parts import Box, Mechanism, Sphere, Surface


def test_equal_surfaces_give_their_own_friction_to_the_last_bit():
    for mu in (0.0, 0.1, 0.3, 0.5, 0.7, 1.7, 1e-200, 1e200):
        assert Surface(mu).against(Surface(mu)).friction == pytest.approx(mu, rel=2e-16, abs=0.0)
    assert Surface(0.5).against(Surface(0.5)).friction == 0.5


def test_friction_of_a_pair_is_the_geometric_mean_and_restitution_the_greater():
    found = Surface(0.8, 0.1).against(Surface(0.2, 0.4))
    assert found.friction == pytest.approx(0.4, rel=1e-15) and found.restitution == 0.4
    assert Surface(0.8, 0.1).against(Surface(0.2, 0.4)) == Surface(0.2, 0.4).against(Surface(0.8, 0.1))


@pytest.mark.parametrize("given", [{"friction": "rough"}, {"restitution": None}, {"friction": [0.5]}])
def test_what_is_no_number_is_refused_at_once(given):
    with pytest.raises(ModelError, match=f"Surface: {next(iter(given))} is .*; give a real number"):
        Surface(**given)


@pytest.mark.parametrize(
    ("surface", "said"),
    [
        (Surface(-0.1), "friction of its Surface is -0.1; allowed is a finite number from 0 on"),
        (Surface(math.nan), "friction of its Surface is nan"),
        (Surface(math.inf), "friction of its Surface is inf"),
        (Surface(restitution=1.5), "restitution of its Surface is 1.5; allowed is a number from 0 to 1"),
        (Surface(restitution=1.0000001), "restitution of its Surface is 1.0000001; allowed is a number from 0 to 1"),  # was told as 1
        (Surface(restitution=math.nan), "restitution of its Surface is nan"),
    ],
)
def test_an_impossible_surface_is_a_fault_wherever_it_stands(surface, said):
    def on_mechanism(m):
        m.surface = surface

    places = (
        lambda m: m.add_body("stone", shape=Sphere(0.1, surface=surface), density=1000),
        lambda m: m.add_body("stone", shape=Sphere(0.1), density=1000, surface=surface),
        lambda m: m.change("ground", surface=surface),
        lambda m: m.add_floor(surface=surface),
        on_mechanism,
    )
    for place in places:
        m = Mechanism("odd")
        place(m)
        assert [(fault.kind, said in fault.message) for fault in m.faults()] == [("surface", True)]


def test_any_friction_that_is_finite_is_allowed():
    m = Mechanism("rubber")
    m.add_body("block", shape=Box(1, 1, 1, surface=Surface(25.0, 1.0)), density=1000)
    assert m.faults() == []


def test_a_surface_that_is_none_is_refused_where_it_is_given():
    m = Mechanism("odd")
    with pytest.raises(ModelError, match=r"body 'stone': surface is 0.5 .*give a Surface"):
        m.add_body("stone", surface=0.5)
    with pytest.raises(ModelError, match=r"Box: surface is 'ice' .*give a Surface"):
        Box(1, 1, 1, surface="ice")
    with pytest.raises(ModelError, match="mechanism 'odd': surface is"):
        m.surface = 0.3
