"""Wrong arguments: every public function answers with a typed error that names the argument, and nothing has changed."""

import numpy as np
import pytest

import linkwork as lw

from .calls import FUNCTIONS, assert_refused, call, fresh_out, spoiled, valid

ARGUMENTS = [pytest.param(f, name, id=f"{f.__name__}-{name}") for f, (names, _) in FUNCTIONS.items() for name in names]

FAULTS = {
    "one too long": lambda a: np.concatenate([a, a[..., :1]], axis=-1),
    "one too short": lambda a: a[..., :-1],
    "empty": lambda a: np.zeros(0),
    "a number": lambda a: 0.5,
    "complex": lambda a: a.astype(complex),
    "object": lambda a: a.astype(object),
    "boolean": lambda a: a > 0.0,
    "text": lambda a: "0.5",
    "texts": lambda a: a.astype(str),
    "ragged": lambda a: [[1.0], [1.0, 2.0]],
    "nothing": lambda a: [None] * len(a),
    "a thing": lambda a: object(),
    "NaN": lambda a: spoiled(a, np.nan),
    "infinite": lambda a: spoiled(a, np.inf),
    "minus infinite": lambda a: spoiled(a, -np.inf),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("function", "name"), ARGUMENTS)
def test_a_wrong_array_is_refused_by_name(model, function, name, fault):
    arguments = valid(model)
    out = fresh_out(model, function, arguments)
    message = assert_refused(model, function, arguments | {name: FAULTS[fault](arguments[name])}, name, out=out)
    assert "; " in message  # what was found; what is allowed
    assert_refused(model, function, arguments | {name: FAULTS[fault](arguments[name])}, name)
    call(model, function, arguments)


@pytest.mark.parametrize("fault", ["NaN", "infinite", "one too long"])
@pytest.mark.parametrize(("function", "name"), ARGUMENTS)
def test_a_wrong_state_in_a_batch_is_refused_by_name(model, function, name, fault):
    """Also where the wrong number stands in the middle of the batch, whatever the number of threads."""
    arguments = valid(model, (150,))
    bad = arguments | {name: FAULTS[fault](arguments[name])}
    for threads in (1, 2):
        message = assert_refused(model, function, bad, name, threads=threads)
        assert "(75, 0" in message or fault == "one too long" or name in ("v", "vdot")
    assert_refused(model, function, bad, name)


QUATERNIONS = [("q", f) for f, (names, _) in FUNCTIONS.items() if "q" in names and f not in (lw.clamp, lw.within_limits)]


@pytest.mark.parametrize("length", [0.0, 1.0 - 1e-5, 1.0 + 1e-5, 2.0])
@pytest.mark.parametrize(
    ("name", "function"), [*QUATERNIONS, ("q0", lw.difference), ("q1", lw.difference)], ids=lambda x: getattr(x, "__name__", x)
)
def test_a_quaternion_that_is_not_of_unit_length_is_refused(model, name, function, length):
    """The message names the joint, the length found and what to do."""
    arguments = valid(model)
    shoulder = model.joint("shoulder").q_index
    bad = arguments[name].copy()
    bad[shoulder] *= length
    message = assert_refused(model, function, arguments | {name: bad}, name, out=fresh_out(model, function, arguments))
    assert "'shoulder'" in message
    assert f"length {length:.9g}" in message
    assert "normalise" in message
    batch = np.array([arguments[name]] * 5)
    batch[3] = bad
    rest = {n: np.array([a] * 5) for n, a in arguments.items() if n != name}
    assert "(3,)" in assert_refused(model, function, rest | {name: batch}, name)


def test_a_quaternion_next_to_unit_length_is_normalised(model):
    """Rounding of files and integrators does not matter: within 1e-6 the nearest rotation is meant."""
    arguments = valid(model)
    near = arguments["q"].copy()
    near[model.joint("shoulder").q_index] *= 1.0 + 5e-7
    for function in (lw.forward_dynamics, lw.mass_matrix, lw.gravity_force, lw.jacobian):
        np.testing.assert_allclose(call(model, function, arguments | {"q": near}), call(model, function, arguments), rtol=0, atol=1e-12)


@pytest.mark.parametrize("function", [f for f, (names, _) in FUNCTIONS.items() if len(names) > 1], ids=lambda f: f.__name__)
def test_batches_that_do_not_fit_together_are_refused(model, function):
    """3 states of one argument and 4 of another: the message tells which has how many."""
    names, _ = FUNCTIONS[function]
    three, four = valid(model, (3,)), valid(model, (4,))
    with pytest.raises(lw.StateError, match=r"batch axes do not fit together.*\(3,\).*\(4,\)|\(4,\).*\(3,\)") as caught:
        call(model, function, three | {names[-1]: four[names[-1]]})
    assert caught.value.argument in names
    assert f"{names[-1]} (4,)" in str(caught.value)
    blamed = str(caught.value).partition(": ")[0]
    assert sorted(blamed.split(" and ")) == sorted(names)  # nobody knows which of them is wrong


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", [1]])
@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_wrong_number_of_threads_is_refused(model, function, batch, threads):
    assert_refused(model, function, valid(model, batch), "threads", threads=threads)


def test_a_number_is_no_vector_of_one(one_hinge):
    """One coordinate is given as an array of one: a number would be taken for something else as soon as there are two."""
    good = np.array([0.3])
    for function, arguments in ((lw.gravity_force, (good,)), (lw.forward_dynamics, (good, good, good)), (lw.energy, (good, good))):
        function(one_hinge, *arguments)
        for k, name in enumerate(("q", "v", "tau")[: len(arguments)]):
            for number in (0.3, np.float64(0.3), np.array(0.3), 1):
                with pytest.raises(lw.StateError, match=rf"^{name}: found shape \(\); allowed is \(1,\) for one state") as caught:
                    function(one_hinge, *(number if i == k else a for i, a in enumerate(arguments)))
                assert caught.value.argument == name


# ------------------------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("ask", "near"),
    [
        (lambda m, a: lw.jacobian(m, a["q"], "tol"), "tool"),
        (lambda m, a: lw.jacobian_rate_times_v(m, a["q"], a["v"], "forarm"), "forearm"),
        (lambda m, a: lw.inverse_inertia(m, a["q"], "tool", "bas"), "base"),
        (lambda m, a: lw.forward_kinematics(m, a["q"]).position("uper"), "upper"),
        (lambda m, a: lw.forward_kinematics(m, a["q"], a["v"]).velocity("Tool"), "tool"),
        (lambda m, a: lw.forward_dynamics(m, a["q"], a["v"], a["tau"], {"fot": np.zeros(6)}), "foot"),
        (lambda m, a: lw.inverse_dynamics(m, a["q"], a["v"], a["vdot"], {"bse": np.zeros(6)}), "base"),
        (lambda m, a: lw.impulse_response(m, a["q"], None, {"uppper": np.zeros(6)}), "upper"),
        (lambda m, a: lw.hybrid_dynamics(m, a["q"], a["v"], a["known"], ["elbw"]), "elbow"),
        (lambda m, a: lw.hybrid_dynamics(m, a["q"], a["v"], a["known"], "shouldr"), "shoulder"),
        (lambda m, a: m.joint("elboww"), "elbow"),
        (lambda m, a: m.body("base "), "base"),
        (lambda m, a: m.frame("tools"), "tool"),
    ],
)
def test_an_unknown_name_is_answered_with_near_ones(model, ask, near):
    with pytest.raises(lw.UnknownNameError, match=rf"did you mean.*'{near}'") as caught:
        ask(model, valid(model))
    assert near in caught.value.near
    assert isinstance(caught.value, (KeyError, lw.LinkworkError))


@pytest.mark.parametrize("name", [None, 3, ["tool"], ("base", "tool"), "", b"tool"])
def test_what_is_no_name_is_an_unknown_name(model, name):
    q = valid(model)["q"]
    for ask in (model.body, model.joint, model.frame, lambda n: lw.jacobian(model, q, n), lw.forward_kinematics(model, q).position):
        with pytest.raises(lw.UnknownNameError, match=r"no .* is called"):
            ask(name)


# ------------------------------------------------------------------------------------------------------------------ options


@pytest.mark.parametrize("driven", [None, 5, np.zeros(3, dtype=bool), np.zeros((2, 11), dtype=bool), np.zeros(11)])
def test_what_does_not_say_which_joints_are_driven_is_refused(model, driven):
    a = valid(model)
    with pytest.raises(lw.StateError, match="driven: found") as caught:
        lw.hybrid_dynamics(model, a["q"], a["v"], a["known"], driven)
    assert caught.value.argument == "driven"


@pytest.mark.parametrize(
    ("argument", "ask"),
    [
        ("axes", lambda m, a: lw.jacobian(m, a["q"], "tool", axes="local")),
        ("axes", lambda m, a: lw.inverse_inertia(m, a["q"], "tool", axes=None)),
        ("axes", lambda m, a: lw.jacobian_rate_times_v(m, a["q"], a["v"], "tool", axes="World")),
        ("axes", lambda m, a: lw.forward_kinematics(m, a["q"], a["v"]).velocity("tool", "space")),
        ("method", lambda m, a: lw.inverse_mass_matrix(m, a["q"], method="cholesky")),
        ("v", lambda m, a: lw.forward_kinematics(m, a["q"], None, a["vdot"])),
        ("v", lambda m, a: lw.center_of_mass(m, a["q"], None, a["vdot"])),
        ("v", lambda m, a: lw.forward_kinematics(m, a["q"]).velocity("tool")),
        ("vdot", lambda m, a: lw.forward_kinematics(m, a["q"], a["v"]).acceleration("tool")),
        ("frame", lambda m, a: lw.forward_kinematics(m, np.array([a["q"]] * 2)).pose("tool")),
    ],
)
def test_a_wrong_option_is_refused_by_name(model, argument, ask):
    with pytest.raises(lw.StateError) as caught:
        ask(model, valid(model))
    assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("wrench", "found"),
    [
        (np.zeros(5), r"shape \(5,\)"),
        (np.zeros((3, 7)), r"shape \(3, 7\)"),
        (0.0, r"shape \(1?,?\)"),
        ("push", "dtype <U4"),
        (np.zeros(6, dtype=complex), "dtype complex128"),
        ([1.0, 2.0, None, 0.0, 0.0, 0.0], "dtype object"),
    ],
)
@pytest.mark.parametrize("argument", ["f_ext", "body_impulses"])
def test_a_wrong_wrench_is_refused_with_its_body(model, argument, wrench, found):
    a = valid(model)
    function = lw.forward_dynamics if argument == "f_ext" else lw.impulse_response
    before = (a["q"], a["v"], a["tau"]) if argument == "f_ext" else (a["q"], a["joint_impulse"])
    with pytest.raises(lw.StateError, match=rf"{argument}\['foot'\]: found {found}"):
        function(model, *before, {"base": np.zeros(6), "foot": wrench})


def test_wrenches_of_different_batches_are_refused(model):
    a = valid(model)
    with pytest.raises(lw.StateError, match=r"do not fit together.*f_ext\['base'\] \(2,\).*f_ext\['foot'\] \(3,\)"):
        lw.forward_dynamics(model, a["q"], a["v"], a["tau"], {"base": np.zeros((2, 6)), "foot": np.zeros((3, 6))})


def test_a_wrench_that_is_not_finite_is_refused(model):
    a = valid(model)
    with pytest.raises(lw.StateError, match=r"f_ext: element \(\d, 4\) is inf"):
        lw.forward_dynamics(model, a["q"], a["v"], a["tau"], {"foot": [0, 0, 0, 0, np.inf, 0]})


# --------------------------------------------------------------------------------------------------------- singular positions


def gantry():
    """Two parallel sliders with massless parts between: at angle 0 nothing tells them apart."""
    m = lw.Mechanism("gantry")
    a, b = m.add_body("a"), m.add_body("b")
    c = m.add_body("c", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.add_joint("first", lw.Prismatic((1, 0, 0)), m.ground, a)
    m.add_joint("turn", lw.Revolute((0, 1, 0)), a, b)
    m.add_joint("second", lw.Prismatic((1, 0, 0)), b, c)
    return m.build()


def test_a_singular_mass_matrix_names_its_joint():
    model = gantry()
    assert np.isfinite(lw.solve_mass_matrix(model, [0.0, 0.3, 0.0], [1.0, 1.0, 1.0])).all()
    for ask in (lw.factor_mass_matrix, lw.inverse_mass_matrix):
        with pytest.raises(lw.SolverError, match=r"'first'.*not positive definite"):
            ask(model, np.zeros(3))


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: lw.forward_dynamics(m, np.zeros(3), np.ones(3), np.ones(3)),
        lambda m: lw.impulse_response(m, np.zeros(3), np.ones(3)),
        lambda m: lw.inverse_mass_matrix(m, np.zeros(3), method="square"),
    ],
    ids=["forward_dynamics", "impulse_response", "inverse_mass_matrix"],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_forward_dynamics_at_a_singular_position_is_refused(ask):
    model = gantry()
    with pytest.raises(lw.SolverError, match="first"):
        ask(model)
