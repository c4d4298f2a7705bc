"""Channels: shapes, labels and units for a model, and what record= may say."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.channels import GROUPS, channels_of, wanted
from linkwork.simulation.columns import Layout

from .motions import model_of


def layout_of(case, forces=()):
    return Layout.of(model_of(case), forces)


def test_every_coordinate_has_a_label_and_a_unit():
    known = channels_of(layout_of("satellite"))
    assert known["q"].labels == (
        *(f"hull.free.{word}" for word in ("x", "y", "z", "qw", "qx", "qy", "qz")),
        *(f"gimbal.{word}" for word in ("qw", "qx", "qy", "qz")),
        "sleeve.angle",
        "sleeve.slide",
    )
    assert known["q"].units == ("m",) * 3 + ("1",) * 8 + ("rad", "m")
    assert known["v"].units == ("rad/s",) * 3 + ("m/s",) * 3 + ("rad/s",) * 3 + ("rad/s", "m/s")
    assert known["vdot"].units[-2:] == ("rad/s^2", "m/s^2")
    assert known["tau"].units[-2:] == ("N m", "N")
    assert known["v"].labels[:6] == tuple(f"hull.free.{word}" for word in ("wx", "wy", "wz", "vx", "vy", "vz"))


def test_a_joint_of_one_coordinate_lends_its_name():
    assert channels_of(layout_of("double pendulum"))["q"].labels == ("shoulder", "elbow")


def test_kinds_without_words_are_counted_from_one():
    m = lw.Mechanism("cross")
    m.add_joint("hooke", lw.Universal((1, 0, 0), (0, 1, 0)), m.ground, m.add_body("b", mass=1.0, inertia=(1, 1, 1)))
    assert channels_of(Layout.of(m.build()))["q"].labels == ("hooke.1", "hooke.2")


def test_shapes_are_those_of_the_model():
    model = model_of("four-bar")
    known = channels_of(layout_of("four-bar", ("spring", "brake")))
    assert known["q"].shape == (model.nq,)
    assert known["poses"].shape == (model.nb, 7)
    assert known["reactions"].shape == (len(model.joints), 6), "the joint that closes the loop counts once"
    assert known["multipliers"].shape == (model.nc,) == (6,)
    assert known["stored"].shape == known["work"].shape == (2,)
    assert known["kinetic"].shape == known["time"].shape == ()
    for channel in known.values():
        assert channel.size == len(channel.units) == int(np.prod(channel.shape, dtype=int))


def test_rows_are_named_by_constraint_and_word():
    layout = layout_of("four-bar")
    closing = next(joint for joint in model_of("four-bar").joints if joint.closes_loop).name
    assert layout.row_label(0).startswith(f"{closing}.")
    assert len({layout.row_label(k) for k in range(6)}) == 6
    assert layout.row_label(-1) == ""


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (None, ("time", "q", "v", *GROUPS["energy"])),
        ("q", ("time", "q")),
        ((), ("time",)),
        (["v", "q", "v"], ("time", "q", "v")),
        (iter(["gaps"]), ("time", "gaps", "gap_rows")),
        (("work", "statistics"), ("time", "work", *GROUPS["statistics"])),
    ],
)
def test_record_names_channels_and_groups(record, expected):
    assert wanted(record, channels_of(layout_of("satellite"))) == expected


def test_all_is_everything():
    known = channels_of(layout_of("satellite"))
    assert wanted("all", known) == tuple(known) == wanted(("q", "all"), known)


def test_an_unknown_channel_is_refused_with_near_matches():
    with pytest.raises(lw.UnknownNameError, match="no channel is called 'kinetc'; did you mean 'kinetic'") as caught:
        wanted(("q", "kinetc"), channels_of(layout_of("satellite")))
    assert caught.value.near == ["kinetic"]


@pytest.mark.parametrize("record", [5, True])
def test_a_record_that_is_no_name_is_refused(record):
    with pytest.raises(lw.StateError, match="record: found") as caught:
        wanted(record, channels_of(layout_of("satellite")))
    assert caught.value.argument == "record"


@pytest.mark.parametrize("case", ["double pendulum", "satellite", "four-bar"])
def test_a_layout_survives_json(case):
    layout = layout_of(case, ("spring",))
    assert Layout.from_dict(layout.to_dict()) == layout
    assert (layout.nq, layout.nv) == (model_of(case).nq, model_of(case).nv)


@pytest.mark.parametrize(
    "change",
    [
        {"joints": 3},
        {"joints": [{"name": "a", "manifold": "torus", "words": [], "units": []}]},
        {"joints": [{"name": "a", "manifold": "ball", "words": ["x"], "units": ["m"]}]},
        {"joints": [{"name": "a", "manifold": "vector", "words": ["x", "y"], "units": ["m"]}]},
        {"bodies": "crank"},
        {"forces": [1]},
        {"rows": [["a"]]},
        {"model": None},
    ],
)
def test_a_layout_that_makes_no_sense_is_refused(change):
    with pytest.raises(lw.FormatError, match="layout"):
        Layout.from_dict(layout_of("satellite").to_dict() | change)
