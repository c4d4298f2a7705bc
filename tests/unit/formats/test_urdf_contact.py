"""A URDF declares no contact: nothing of it touches until a floor, a Surface or `touch` asks for it."""

import pytest

import linkwork as lw

BLOCK = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
SEEN = '<visual><geometry><sphere radius="9"/></geometry></visual>'
SHAPE = f'{SEEN}<collision><origin xyz="0 0 -1"/><geometry><sphere radius="0.1"/></geometry></collision>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
JOINT = f'<joint name="{{0}}" type="revolute"><parent link="{{1}}"/><child link="{{2}}"/><axis xyz="0 1 0"/>{LIMIT}</joint>'


def robot(extra=""):
    links = "".join(f'<link name="{name}">{BLOCK}{SHAPE}</link>' for name in ("base", "arm", "hand"))
    return f'<robot name="r">{links}{JOINT.format("shoulder", "base", "arm")}{JOINT.format("wrist", "arm", "hand")}{extra}</robot>'


def test_the_collision_shapes_touch_as_soon_as_there_is_a_floor():
    m = lw.read(robot())
    assert not m.touches and not m.build().touches
    m.add_floor(-3.0)
    assert [(pair.a, pair.b) for pair in m.build().pairs] == [("ground", "arm"), ("ground", "hand")]
    [*_, contact] = lw.contacts(m.build(), [0.0, 0.0], reach=10.0)
    assert contact.gap == pytest.approx(3.0 - 1.1, rel=1e-14)  # of the collision shape, not of what is seen


def test_friction_of_a_gazebo_block_is_not_taken_over_but_said():
    m = lw.read(robot('<gazebo reference="hand"><mu1>0.8</mu1><mu2>0.8</mu2></gazebo>'))
    [note] = [note for note in m.notes if "Gazebo" in note.message]
    assert note.matters and note.message.endswith("its friction holds where it touches after m.change('hand', surface=lw.Surface(0.8))")
    assert not m.touches and m.body("hand").surface is None


@pytest.mark.parametrize(
    "said", ["<mu1>0.8</mu1><mu2>0.1</mu2>", "<mu1/>", "<mu1>rough</mu1>", "<mu1>-1</mu1>", "<mu1>nan</mu1>", "<mu1>1e400</mu1>"]
)
def test_friction_that_is_no_single_number_is_ignored_without_advice(said):
    m = lw.read(robot(f'<gazebo reference="hand">{said}</gazebo>'))
    [note] = [note for note in m.notes if "Gazebo" in note.message]
    assert note.matters and "m.change" not in note.message
