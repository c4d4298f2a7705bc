"""Every public function of states, called by name with right values for its arguments."""

import numpy as np
import pytest

import linkwork as lw


def valid(model, batch=()):
    """Right values for every argument, by name."""
    rng = np.random.default_rng(5)
    q = lw.random_configuration(model, rng, batch or None)
    values = {name: rng.normal(size=(*batch, model.nv)) for name in ("v", "tau", "vdot", "x", "dv", "known", "joint_impulse", "b")}
    wrenches = {name: rng.normal(size=(*batch, model.nb, 6)) for name in ("f_ext", "body_impulses")}
    return values | wrenches | {"q": q, "q0": q.copy(), "q1": lw.integrate(model, q, values["v"])}


# The functions, the names of their array arguments, and their other arguments.
FUNCTIONS = {
    lw.forward_dynamics: (("q", "v", "tau", "f_ext"), {}),
    lw.inverse_dynamics: (("q", "v", "vdot", "f_ext"), {}),
    lw.bias_force: (("q", "v", "f_ext"), {}),
    lw.gravity_force: (("q",), {}),
    lw.mass_matrix: (("q",), {}),
    lw.mass_matrix_times: (("q", "x"), {}),
    lw.inverse_mass_matrix: (("q",), {}),
    lw.impulse_response: (("q", "joint_impulse", "body_impulses"), {}),
    lw.jacobian: (("q",), {"frame": "tool"}),
    lw.centroidal_momentum_matrix: (("q",), {}),
    lw.integrate: (("q", "dv"), {}),
    lw.difference: (("q0", "q1"), {}),
    lw.hybrid_dynamics: (("q", "v", "known", "f_ext"), {"driven": ["elbow"]}),
    lw.forward_kinematics: (("q", "v", "vdot"), {}),
    lw.energy: (("q", "v"), {}),
    lw.momentum: (("q", "v"), {}),
    lw.center_of_mass: (("q", "v", "vdot"), {}),
    lw.jacobian_rate_times_v: (("q", "v"), {"frame": "tool"}),
    lw.inverse_inertia: (("q",), {"frame": "tool"}),
    lw.factor_mass_matrix: (("q",), {}),
    lw.solve_mass_matrix: (("q", "b"), {}),
    lw.clamp: (("q",), {}),
    lw.within_limits: (("q",), {}),
}


def call(model, function, arguments, **options):
    names, others = FUNCTIONS[function]
    return function(model, **{name: arguments[name] for name in names}, **others, **options)


def parts(result):
    """The arrays of a result, or of what is given as `out`, whatever the function returns."""
    if isinstance(result, lw.Kinematics):
        result = (result.rotations, result.positions, result.velocities, result.accelerations)
    if isinstance(result, lw.MassFactor):
        result = result.L
    return [part for part in (result if isinstance(result, tuple) else (result,)) if part is not None]


def like(result, change):
    """The same kind of result with every array a of it replaced by change(a)."""
    arrays = [change(np.asarray(part)) for part in parts(result)]
    if isinstance(result, (lw.Kinematics, lw.MassFactor)):
        return type(result)(result.model, *arrays)
    if hasattr(result, "_fields"):
        return type(result)(*arrays)
    return tuple(arrays) if isinstance(result, tuple) else arrays[0]


def fresh_out(model, function, arguments):
    """An `out` of the right kind and shapes, full of sevens."""
    return like(call(model, function, arguments), lambda a: np.full_like(a, 7.0))


def assert_refused(model, function, arguments, name, **options):
    """A StateError that names the argument; the arguments and `out` are what they were, and the next call works."""
    names, _ = FUNCTIONS[function]
    held = [arguments[n] for n in names if isinstance(arguments[n], np.ndarray)]
    held += [part for part in parts(options.get("out", ())) if isinstance(part, np.ndarray)]
    before = [a.tobytes() for a in held]
    with pytest.raises(lw.StateError) as caught:
        call(model, function, arguments, **options)
    assert caught.value.argument == name
    assert str(caught.value).startswith(f"{name}: ")
    untouched = [a.tobytes() for a in held] == before  # as one truth: nobody wants to see the bytes
    assert untouched
    return str(caught.value)


def spoiled(array, value):
    array = array.copy()
    array.flat[array.size // 2] = value
    return array
