"""The frozen model as a value: pickled, copied, compared, shared between threads; empty, and very long."""

import copy
import os
import pickle
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.kernels import JIT

from ...laws.mechanisms import cam_motion, cam_pose, cam_rate, random_case

ROOT = Path(__file__).parents[3]


def pendulum(mass=1.0, name="pendulum", **options):
    m = lw.Mechanism(name)
    bob = m.add_body("bob", mass=mass, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    m.add_joint("pivot", lw.Revolute((0, 1, 0), **options), m.ground, bob)
    return m


def python(code):
    """Run code in a fresh interpreter that sees this package and these tests; returns what it printed."""
    paths = os.pathsep.join([str(Path(lw.__file__).parents[1]), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# ------------------------------------------------------------------------------------------------------------------- values


@pytest.mark.parametrize("family", ["tree", "floating", "forest", "every kind"])
def test_a_pickled_model_is_the_same_model(family):
    case = random_case(4, family)
    copied = pickle.loads(pickle.dumps(case.model))
    assert copied is not case.model
    assert copied == case.model
    assert hash(copied) == hash(case.model)
    assert copied.fingerprint == case.model.fingerprint
    assert [j.name for j in copied.joints] == [j.name for j in case.model.joints]
    arguments = case.q, case.v, case.tau, case.f_ext
    assert (lw.forward_dynamics(copied, *arguments) == lw.forward_dynamics(case.model, *arguments)).all()


@pytest.mark.slow
def test_a_model_with_custom_joints_works_in_another_process(tmp_path):
    """Addresses of compiled functions mean nothing there: they are made anew."""
    case = random_case(4, "every kind")
    assert any(joint.kind.custom for joint in case.model.joints)
    file = tmp_path / "case.pickle"
    file.write_bytes(pickle.dumps((case.model, case.q, case.v, case.tau)))
    found = python(
        "import pickle, linkwork as lw\n"
        f"model, q, v, tau = pickle.loads(open({str(file)!r}, 'rb').read())\n"
        "print(*(x.hex() for x in lw.forward_dynamics(model, q, v, tau)))"
    )
    expected = lw.forward_dynamics(case.model, case.q, case.v, case.tau)
    assert [float.fromhex(x) for x in found.split()] == expected.tolist()


def test_copies_are_the_model_itself():
    model = pendulum().build()
    assert copy.copy(model) is model
    assert copy.deepcopy(model) is model
    assert copy.deepcopy({"model": [model]})["model"][0] is model


def test_equal_mechanisms_give_equal_models():
    one, two = pendulum().build(), pendulum().build()
    assert one == two
    assert hash(one) == hash(two)
    assert {one: "a"}[two] == "a"
    assert one != "pendulum"
    assert (one == 3) is False


def _with_frame(m):
    m.add_frame("tip", m.body("bob").at(0, 0, -1))
    return m


@pytest.mark.parametrize(
    "other",
    [
        lambda: pendulum(mass=1.5),
        lambda: pendulum(name="other"),
        lambda: pendulum(damping=0.1),
        lambda: pendulum(upper=1.0),
        lambda: pendulum(armature=0.1),
        lambda: pendulum(friction=0.1),
        lambda: pendulum(velocity_limit=1.0),
        lambda: pendulum(effort_limit=1.0),
        lambda: _with_frame(pendulum()),
        lambda: _set(pendulum(), gravity=(0, 0, -1.6)),
        lambda: _renamed(pendulum(), "bob", "ball"),
        lambda: _renamed(pendulum(), "pivot", "hinge"),
    ],
)
def test_models_that_differ_in_anything_are_not_equal(other):
    one, two = pendulum().build(), other().build()
    assert one != two
    assert one.fingerprint != two.fingerprint


def _set(mechanism, **values):
    for name, value in values.items():
        setattr(mechanism, name, value)
    return mechanism


def _renamed(mechanism, old, new):
    mechanism.rename(old, new)
    return mechanism


def test_a_fingerprint_is_the_same_in_every_process():
    code = (
        "import linkwork as lw\n"
        "m = lw.Mechanism('pendulum')\n"
        "bob = m.add_body('bob', mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))\n"
        "m.add_joint('pivot', lw.Revolute((0, 1, 0)), m.ground, bob)\n"
        "print(m.build().fingerprint)"
    )
    assert python(code) == pendulum().build().fingerprint


@pytest.mark.slow
def test_a_fingerprint_with_custom_joints_is_the_same_in_every_process():
    code = "from tests.laws.mechanisms import random_case\nprint(random_case(4, 'every kind').model.fingerprint)"
    assert python(code) == random_case(4, "every kind").model.fingerprint


@pytest.mark.parametrize("pickled", [False, True])
def test_a_model_cannot_be_changed_through_its_arrays(pickled):
    model = random_case(4, "every kind").model
    model = pickle.loads(pickle.dumps(model)) if pickled else model
    before = model.fingerprint
    arrays = [*model.tables, model.gravity]
    arrays += [getattr(joint, field) for joint in model.joints for field in ("lower", "upper", "armature", "damping", "friction")]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(AttributeError):
        model.joints[0].name = "other"
    with pytest.raises(TypeError):
        model.joints[0] = None
    assert model.fingerprint == before


def test_names_lead_to_slices_and_indices():
    model = random_case(4, "every kind").model
    q = np.arange(float(model.nq))
    assert np.concatenate([q[joint.q_index] for joint in model.joints]).tolist() == q.tolist()
    assert sum(joint.nv for joint in model.joints) == model.nv
    for joint in model.joints:
        assert model.joint(joint.name) is joint
        assert (joint.nq, joint.nv) == (joint.kind.nq, joint.kind.nv)
        assert all(model.joint_at_q(i) == joint.name for i in range(joint.q_index.start, joint.q_index.stop))
    for k, body in enumerate(model.bodies):
        assert (model.body(body.name).index, model.frame(body.name).body) == (k, k)
    assert model.frame("ground").body == -1
    assert f"nq={model.nq}, nv={model.nv}" in repr(model)


def test_dir_of_a_model_shows_what_is_for_people():
    """Completion in a notebook offers names and sizes, not addresses and scratch memory."""
    model = random_case(4, "every kind").model
    shown = {name for name in dir(model) if not name.startswith("__")}
    assert {"nq", "nv", "nb", "name", "bodies", "joints", "frames", "body", "joint", "frame", "gravity", "mass", "fingerprint"} <= shown
    assert not shown & {"handle", "constraint_tables", "sizes", "tables"}
    assert not any(name.startswith("_") for name in shown)
    assert all(hasattr(model, name) for name in shown)


@pytest.mark.parametrize("axes", ["y", "yyy", "zyy", "-y", "x", "zy"])
def test_at_zero_bodies_stand_exactly_where_they_were_put(axes):
    """No rounding of 1e-17 in the simplest of answers. (A quarter turn between two links, as from y to x, does leave it.)"""
    m, near = lw.Mechanism(), "ground"
    for k, sign_and_axis in enumerate(axes.replace("x", "x ").replace("y", "y ").replace("z", "z ").split()):
        axis = (-1.0 if "-" in sign_and_axis else 1.0) * np.eye(3)["xyz".index(sign_and_axis[-1])]
        m.add_body(f"link {k}", mass=1.0, inertia=(1, 1, 1))
        m.add_joint(f"joint {k}", lw.Revolute(axis), near if near == "ground" else m.body(near).at(0.1, 0.2, 0.3), f"link {k}")
        near = f"link {k}"
    model = m.build()
    kinematics = lw.forward_kinematics(model, lw.neutral(model))
    assert (kinematics.rotations == np.eye(3)).all()
    assert (kinematics.positions[0] == 0.0).all()


def test_a_state_is_a_value():
    state = lw.State(0.5, [1, 2.0], (3.0,))
    copied = pickle.loads(pickle.dumps(state))
    assert copied == state == state.copy()
    assert hash(copied) == hash(state)
    assert state != lw.State(0.5, [1, 2.5], [3.0])
    assert state != lw.State(0.6, [1, 2.0], [3.0])
    q = np.zeros(2)
    held = lw.State(0.0, q, q)
    q[0] = 1.0
    assert held == lw.State(0.0, [0, 0], [0, 0])
    with pytest.raises(lw.StateError, match="one state"):
        lw.State(0.0, np.zeros((2, 2)), np.zeros(2))


# ------------------------------------------------------------------------------------------------------------------ threads


def _work(case, k):
    """A little of everything on state k of a batch, and on the whole batch."""
    model, q, v, x, f = case[1:]
    one = (
        lw.forward_dynamics(model, q[k], v[k], x[k]),
        lw.inverse_dynamics(model, q[k], v[k], x[k], f[k]),
        lw.mass_matrix(model, q[k]),
        lw.forward_kinematics(model, q[k], v[k], x[k]).accelerations,
        lw.jacobian(model, q[k], "mark 1"),
        lw.impulse_response(model, q[k], x[k]),
        lw.integrate(model, q[k], v[k]),
    )
    return [a.tobytes() for a in (*one, lw.forward_dynamics(model, q, v, x, f), lw.mass_matrix(model, q))]


def test_eight_threads_share_one_model():
    """Each thread finds scratch memory of its own: the bits are those of a single thread, and no call fails."""
    case = random_case(4, "every kind", size=24)
    expected = [_work(case, k) for k in range(24)]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            same = list(pool.map(lambda k: _work(case, k), range(24))) == expected  # as one truth: a difference of megabytes says no more
            assert same


@pytest.mark.slow
def test_eight_threads_may_make_the_first_calls():
    """In a fresh process, where kernels are still to be loaded, threads do not stumble over each other."""
    code = (
        "import numpy as np, linkwork as lw, threading\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from tests.laws.mechanisms import random_case\n"
        "_, model, q, v, x, f = random_case(4, 'every kind', size=8)\n"
        "gate = threading.Barrier(8)\n"
        "def work(k):\n"
        "    gate.wait()\n"
        "    return [a.tobytes() for a in (lw.forward_dynamics(model, q[k].tolist(), v[k]), lw.forward_dynamics(model, q[k], v[k], x[k]),\n"
        "            lw.inverse_dynamics(model, q[k], v[k], x[k]), lw.mass_matrix(model, q[k]), lw.forward_dynamics(model, q, v, x)[k])]\n"
        "with ThreadPoolExecutor(8) as pool:\n"
        "    found = list(pool.map(work, range(8)))\n"
        "gate = threading.Barrier(1)\n"
        "print(found == [work(k) for k in range(8)])"
    )
    assert python(code) == "True"


# ------------------------------------------------------------------------------------------------------- nothing, and a lot


def welded():
    """Bodies, but none that moves."""
    m = lw.Mechanism("monument")
    pedestal, figure = m.add_body("pedestal", shape=lw.Box(1, 1, 1), density=2000.0), m.add_body("figure", mass=100.0, inertia=(9, 9, 9))
    m.add_joint("mortar", lw.Weld(), m.ground, pedestal)
    m.add_joint("bolts", lw.Weld(), figure.at(0, 0, -1), pedestal.at(0, 0, 0.5))
    return m


@pytest.mark.parametrize("make", [lambda: lw.Mechanism("nothing"), welded], ids=["no bodies", "no freedom"])
@pytest.mark.parametrize("lead", [(), (3,), (0,), (2, 1)])
def test_a_model_without_freedom_works_in_every_function(make, lead):
    model = make().build()
    nb, frame = model.nb, model.bodies[-1].name if model.nb else "ground"
    q = v = np.zeros((*lead, 0))
    f = np.ones((*lead, nb, 6))
    assert (model.nq, model.nv, model.mass) == (0, 0, 0.0)
    assert lw.neutral(model).shape == (0,)
    assert lw.random_configuration(model, 1, lead or None).shape == (*lead, 0)
    vectors = [
        lw.forward_dynamics(model, q, v, v),
        lw.forward_dynamics(model, q, v),
        lw.forward_dynamics(model, q, v, v, f),
        lw.inverse_dynamics(model, q, v, v),
        lw.inverse_dynamics(model, q, v, v, f),
        lw.bias_force(model, q, v),
        lw.gravity_force(model, q),
        lw.mass_matrix_times(model, q, v),
        *lw.hybrid_dynamics(model, q, v, v, []),
        lw.impulse_response(model, q, v, f),
        lw.integrate(model, q, v),
        lw.difference(model, q, q),
        lw.solve_mass_matrix(model, q, v),
        lw.clamp(model, q),
    ]
    assert {a.shape for a in vectors} == {(*lead, 0)}
    squares = [
        lw.mass_matrix(model, q),
        lw.inverse_mass_matrix(model, q),
        lw.inverse_mass_matrix(model, q, method="square"),
        lw.factor_mass_matrix(model, q).L,
    ]
    assert {a.shape for a in squares} == {(*lead, 0, 0)}
    assert lw.jacobian(model, q, frame).shape == (*lead, 6, 0)
    assert lw.centroidal_momentum_matrix(model, q).shape == (*lead, 6, 0)
    kinematics = lw.forward_kinematics(model, q, v, v)
    assert kinematics.positions.shape == (*lead, nb, 3)
    assert kinematics.accelerations.shape == (*lead, nb, 6)
    assert np.array_equal(lw.inverse_inertia(model, q, frame), np.zeros((*lead, 6, 6)))
    assert np.array_equal(lw.jacobian_rate_times_v(model, q, v, frame), np.zeros((*lead, 6)))
    assert np.array_equal(lw.energy(model, q, v).total, np.zeros(lead))
    assert np.array_equal(lw.momentum(model, q, v).about_origin, np.zeros((*lead, 3)))
    assert np.array_equal(lw.within_limits(model, q), np.ones(lead, dtype=bool))
    assert np.array_equal(lw.factor_mass_matrix(model, q).log_determinant, np.zeros(lead))
    with pytest.raises(lw.ModelError, match="no centre of mass"):
        lw.center_of_mass(model, q)
    if nb:
        figure = kinematics.position("figure")
        assert np.array_equal(figure, np.broadcast_to([0.0, 0.0, 1.5], figure.shape))


def test_rotors_alone_have_no_momentum():
    """A drive that turns nothing but itself: no mass moves, so momentum is zero, not undefined."""
    m = lw.Mechanism("motor")
    m.add_joint("shaft", lw.Revolute((0, 0, 1), armature=0.5), m.ground, m.add_body("shaft body"))
    model = m.build()
    assert lw.forward_dynamics(model, [0.0], [0.0], [2.0]).tolist() == [4.0]
    assert lw.momentum(model, [0.0], [3.0]).angular.tolist() == [0.0, 0.0, 0.0]


def long_chain(n):
    m = lw.Mechanism("chain")
    near = m.ground
    for k in range(n):
        far = m.add_body(f"link {k}", mass=1.0, com=(0, 0, -0.05), inertia=(0.001, 0.001, 0.0001))
        m.add_joint(f"joint {k}", lw.Revolute((1, 0, 0) if k % 2 else (0, 1, 0), armature=0.01), near.at(0, 0, -0.1 * (k > 0)), far)
        near = far
    return m


@pytest.mark.slow
def test_a_chain_of_ten_thousand_bodies():
    """It builds in seconds, nothing recurses, and the sweeps run: a straight chain hangs still, a bent one falls."""
    mechanism = long_chain(10_000)
    start = time.process_time()  # other processes may hold the machine
    model = mechanism.build()
    assert time.process_time() - start < 60.0  # about 3 s; what grows with the square of n would take minutes
    straight, still = np.zeros(model.nq), np.zeros(model.nv)
    assert np.max(np.abs(lw.forward_dynamics(model, straight, still))) < 1e-9
    bent = np.full(model.nq, 1e-4)
    vdot = lw.forward_dynamics(model, bent, still)
    assert np.isfinite(vdot).all()
    assert np.max(np.abs(vdot)) > 1e-3
    # Forces of 1e5 N (the weight of all links) in 1e4 links, with the rounding of as many additions.
    assert np.max(np.abs(lw.inverse_dynamics(model, bent, still, vdot))) < 1e-4
    assert lw.forward_kinematics(model, straight).position("link 9999")[2] == pytest.approx(-999.9)


def test_custom_joints_share_their_compiled_functions():
    """The same functions under two joint names are compiled once: a mechanism of many cams builds quickly."""
    m = lw.Mechanism("cams")
    near = m.ground
    for k in range(20):
        far = m.add_body(f"body {k}", mass=1.0, inertia=(0.1, 0.1, 0.1))
        m.add_joint(f"cam {k}", lw.Custom(1, cam_pose, cam_motion, cam_rate), near, far)
        near = far
    m.build()  # compiles once
    start = time.process_time()
    model = m.build()
    assert time.process_time() - start < 30.0  # a bound against compiling again and again, not a measurement
    codes = {int(code) for code in model.tables.generals["code"]}
    assert len(codes) == (1 if JIT else 20)


def test_a_model_is_frozen():
    model = pendulum().build()
    with pytest.raises(AttributeError, match=r"frozen.*nq.*build again"):
        model.nq = 5
    assert model.nq == 1


def test_parts_themselves_serve_as_names():
    mechanism = pendulum()
    model = mechanism.build()
    assert model.body(mechanism.body("bob")).name == "bob"
    assert np.array_equal(lw.jacobian(model, [0.3], mechanism.body("bob")), lw.jacobian(model, [0.3], "bob"))


@pytest.mark.parametrize("function", [lw.forward_dynamics, lw.inverse_dynamics, lw.mass_matrix, lw.energy, lw.jacobian, lw.neutral])
def test_a_mechanism_in_place_of_a_model_is_explained(function):
    arguments = {lw.neutral: (), lw.mass_matrix: ([0.0],), lw.jacobian: ([0.0], "bob"), lw.inverse_dynamics: ([0.0],) * 3}.get(
        function, ([0.0],) * 2
    )
    with pytest.raises(lw.ModelError, match=r"model: found a Mechanism; allowed is a Model; call build"):
        function(pendulum(), *arguments)


def test_a_fingerprint_does_not_depend_on_what_memory_held_before():
    """Bytes between the fields of a table were copied along or not: of a model with constraints one of two resumed runs was refused as "another model"."""
    m = pendulum()
    m.add_constraint("reach", lw.Distance(1.0), m.bodies[0].at(1, 0, 0), m.ground)
    model, found = m.build(), set()
    for k in range(100):
        dirt = [np.full(model.constraint_tables.blocks.nbytes, k % 256, np.uint8) for _ in range(20)]
        del dirt
        found.add(model.fingerprint)
    assert len(found) == 1


@pytest.mark.parametrize(
    ("lower", "upper", "warned"), [(-90.0, 90.0, "lower is -90 rad"), (-1.5, 45.0, "upper is 45 rad"), (-1.5, 62.8, ""), (-5.0, 10.0, "")]
)
def test_limits_in_degrees_are_a_warning(lower, upper, warned):
    m = lw.Mechanism("arm")
    m.add_joint("pivot", lw.Revolute((0, 1, 0), lower=lower, upper=upper), m.ground, m.add_body("arm", mass=1.0, inertia=(1, 1, 1)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        m.build()
    assert [str(w.message).partition(", ")[0] for w in caught] == ([f"joint 'pivot': {warned}"] if warned else [])


def test_a_long_slide_is_no_angle_in_degrees():
    m = lw.Mechanism("rail")
    m.add_joint("rail", lw.Prismatic((1, 0, 0), lower=-90.0, upper=90.0), m.ground, m.add_body("cart", mass=1.0, inertia=(1, 1, 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.build()
