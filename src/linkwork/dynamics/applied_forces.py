"""The forces of a model at given states, as joint forces and wrenches on bodies: what all functions of states let act."""

import numpy as np

from ..model.model import need_model
from ..options import checked
from .call import diagnose, shaped
from .force_by_force import forces_of


@checked(t="times")
def applied_forces(model, q, v=None, t=0.0):
    """What the forces of a model exert at given states: (tau (..., nv), wrenches (..., nb, 6)), wrenches each in its body's frame.

    Springs, dampers, motors and all else that `Mechanism.add_force` added and that is switched on; damping, friction and limits of the joints
    themselves act in simulations only.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("slider")
    >>> block = m.add_body("block", mass=1.0, inertia=(1, 1, 1))
    >>> _ = m.add_joint("rail", lw.Prismatic((1, 0, 0)), m.ground, block)
    >>> _ = m.add_force("spring", lw.SpringDamper(stiffness=10.0, length=1.0), block, m.ground.at(3, 0, 0))
    >>> tau, wrenches = lw.applied_forces(m.build(), [0.5])
    >>> wrenches.tolist()
    [[0.0, 0.0, 0.0, 15.0, 0.0, 0.0]]
    """
    need_model(model)
    inputs = [
        ("q", q, (model.nq,)),
        ("v", np.zeros(model.nv) if v is None else v, (model.nv,)),
        ("t", np.asarray(t, dtype=float)[..., None], (1,)),
    ]
    arrays, leading = shaped(inputs)
    if not all(np.isfinite(array).all() for array in arrays):
        diagnose(model, inputs, arrays)
    q, v, time = (array.reshape(-1, array.shape[-1]) for array in arrays)
    tau, wrenches = np.zeros((len(q), model.nv)), np.zeros((len(q), model.nb, 6))
    if model.forces:
        forces = forces_of(model)
        for k in range(len(q)):
            tau[k], wrenches[k], _ = forces.at(time[k, 0], q[k], v[k])
            if not (np.isfinite(tau[k]).all() and np.isfinite(wrenches[k]).all()) and (error := forces.explained(time[k, 0], q[k], v[k])):
                raise error
    return tau.reshape(*leading, model.nv), wrenches.reshape(*leading, model.nb, 6)


def with_forces(model, q, v, t, tau, f_ext):
    """tau and f_ext, with what the model's forces exert added."""
    from .external import wrenches as wrench_input

    joint, body = applied_forces(model, q, v, t)
    if f_ext is not None:
        body = _sum(body, *wrench_input(model, f_ext))
    return joint if tau is None else _sum(joint, "tau", tau, (model.nv,)), body


def _sum(exerted, name, given, shape):
    """What forces exert, and what was given of the same shape (StateError if it was not)."""
    (a, b), _ = shaped([("forces", exerted, shape), (name, given, shape)])
    return a + b
