"""The integrator: sacc rlsode method. Adams' method unless another is chosen, as in the erector set."""

import dataclasses

import linkwork as lw

from .errors import RefusedError
from .table import command
from .words import shown


@command("sacc [-r rel] [-a abs]", "sets the relative and the absolute accuracy of the integrator; without options, prints them")
def sacc(console, given):
    method = console.live.integrator
    if not hasattr(method, "rtol"):
        raise RefusedError(f"{method} takes fixed steps and has no accuracy to set; `method adams` chooses one that has")
    values = {field: given[flag] for field, flag in (("rtol", "-r"), ("atol", "-a")) if given[flag] is not None}
    if values:
        console.live.integrator = dataclasses.replace(method, **values)
    else:
        yield f"accuracy -r {shown(method.rtol)} -a {shown(method.atol)}"


@command(
    "rlsode", "what the integrator did since it last began anew: method, accuracy, order, steps, evaluations, its last and its next step"
)
def rlsode(console, given):
    live = console.live
    yield f"method {live.integrator}"
    for name, value in live.statistics().items():
        yield f"{name} {shown(value)}"


@command(
    "method [NAME] [-step s]",
    "chooses the integrator by name (adams, runge-kutta-4, variational, ...) and its step; without a name, lists them",
)
def method(console, given):
    (name,) = given.values
    if name is None:
        yield f"method {console.live.integrator}"
        yield f"methods {' '.join(lw.named_integrators())}"
        return
    settings = {} if given["-step"] is None else {"step": given["-step"]}
    console.live.integrator = lw.integrator(name, **settings)
