"""`--set part.param=value`: typed, judged at once, unknown names with near matches."""

from types import SimpleNamespace

import numpy as np
import pytest

import linkwork as lw
from linkwork.cli.messages import UsageError
from linkwork.cli.settings import apply_settings, check_start


@pytest.fixture
def source():
    m = lw.Mechanism("arm")
    arm = m.add_body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    bob = m.add_body("bob", mass=0.3, inertia=(1e-3, 1e-3, 1e-3))
    m.add_joint("pivot", lw.Revolute((0, 1, 0)), m.ground, arm)
    m.add_force("spring", lw.SpringDamper(stiffness=100.0, damping=1.0, length=0.3), arm.at(1, 0, 0), bob)
    m.add_constraint("speed", lw.SpeedDrive(2.0), "pivot")
    return SimpleNamespace(mechanism=m, setup=lw.Setup())


def test_every_kind_of_setting(source):
    held = apply_settings(
        source,
        [
            "gravity=0,0,-1.62",
            "arm.mass=2",
            "arm.com=[0.4, 0, 0]",
            "spring.stiffness=200",
            "spring.on=false",
            "speed.target=-3.5",
            "pivot.damping=0.25",
            "pivot.q=0.3",
            "bob.free.v=1,0,0,0,0,2.5",
            "integrator.step=1e-4",
            "surface.friction=0.3",
            "bob.surface.restitution=0.5",
        ],
    )
    m, setup = source.mechanism, source.setup
    assert m.gravity == (0.0, 0.0, -1.62)
    assert (m.body("arm").mass, m.body("arm").com) == (2.0, (0.4, 0.0, 0.0))
    assert m.body("arm").inertia == ((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1))
    spring = m.force("spring")
    assert (spring.kind.stiffness, spring.kind.damping, spring.on) == (200.0, 1.0, False)
    assert m.constraint("speed").kind == lw.SpeedDrive(-3.5)
    assert m.joint("pivot").kind == lw.Revolute((0, 1, 0), damping=0.25)
    assert setup.q == {"pivot": (0.3,)}
    assert setup.v == {"bob.free": (1.0, 0.0, 0.0, 0.0, 0.0, 2.5)}
    assert setup.integrator == {"step": 1e-4}
    assert m.surface == lw.Surface(friction=0.3) and m.body("bob").surface == lw.Surface(friction=0.3, restitution=0.5)
    assert held == {"pivot", "bob.free"}
    check_start(setup, m.build(), ["..."])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("spring.stifness=200", "did you mean 'stiffness'"),
        ("sprng.stiffness=200", "did you mean 'spring'"),
        ("gravty=0,0,0", "did you mean 'gravity'"),
        ("gravity=0,0", "gravity"),
        ("gravity=down", "gravity"),
        ("spring.stiffness=soft", "stiffness"),
        ("arm.mass=true", "mass"),
        ("arm.mass=-1", "mass"),
        ("arm.kind=2", "no parameter of body 'arm' is called 'kind'"),
        ("surface.friction=-1", "friction"),
        ("bob.surface.friction=rough", "friction"),
        ("pivot.surface.friction=1", "not a body"),
        ("pivot.q=left", "allowed are numbers"),
        ("spring.stiffness", "part.param=value"),
        ("=3", "part.param=value"),
        (".mass=3", "part.param=value"),
        ("spring.=3", "part.param=value"),
    ],
)
def test_what_cannot_be_set_is_refused(source, text, words):
    before = source.mechanism.clone()
    with pytest.raises(UsageError) as refused:
        apply_settings(source, [text])
    assert str(refused.value).startswith(f"--set {text}: ")
    assert words in str(refused.value)
    assert source.mechanism == before or text.endswith("=-1")  # numbers below zero are judged with all else


@pytest.mark.parametrize(("text", "words"), [("pivot.q=1,2", "2 numbers"), ("arm.free.q=1,0,0,0,0,0,0", "no joint is called 'arm.free'")])
def test_a_start_that_the_model_does_not_have_is_refused(source, text, words):
    apply_settings(source, [text])
    with pytest.raises(UsageError, match="--set") as refused:
        check_start(source.setup, source.mechanism.build(), [text])
    assert words in str(refused.value)


def test_set_changes_the_motion_and_wrong_names_are_exit_code_2(call, pendulum):
    with_gravity, without = (call("run", pendulum, *more, "--json") for more in ([], ["--set", "gravity=0,0,0", "--set", "pin.damping=0"]))
    assert with_gravity.data["digest"] != without.data["digest"]
    audit = without.data["audit"]
    # Free of all forces the rod turns on at 1 rad/s: T = I v^2 / 2 with I = 0.2 + 2 * 0.5^2, to rounding of the sums.
    np.testing.assert_allclose([audit["kinetic_start"], audit["kinetic_end"]], 0.35, rtol=1e-12)
    done = call("run", pendulum, "--set", "rd.mass=3", "--json")
    assert done.code == 2
    assert "did you mean 'rod'" in done.err
    assert done.data == {"ok": False, "command": "run", "error": done.data["error"]}


def test_a_joint_that_is_set_keeps_its_value_and_the_others_follow():
    document = lw.shipped("four-bar")
    source = SimpleNamespace(mechanism=document.mechanism, setup=document.setup)
    held = apply_settings(source, ["A.q=0.7"])
    model = document.mechanism.build()
    start = document.setup.start(model, held)
    assert start.q[model.joint("A").q_index] == 0.7
    assert start.v[model.joint("A").v_index] == 10.0
    assert lw.mobility(model, start.q).open_gaps == {}
    with pytest.raises(lw.AssemblyError):  # all four together, as the file has them, do not fit any more
        document.setup.start(model)
