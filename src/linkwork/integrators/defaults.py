"""Which integrator a run has if none is given, and which can take contact."""

from ..errors import ModelError
from .nonsmooth.method import ContactStepping
from .runge_kutta.classical import RungeKutta4


def default_integrator(model):
    """RungeKutta4, or ContactStepping where bodies touch."""
    return ContactStepping() if model.touches else RungeKutta4()


def refuse_contact(model, integrator):
    """A ModelError for a method that would let bodies pass through each other."""
    if model.touches and not integrator.takes_contact:
        pair = model.pairs[0]
        raise ModelError(
            f"integrator: found {type(integrator).__name__}, which lets bodies pass through each other, for {model.name!r}, in which "
            f"{len(model.pairs)} pairs of shapes may touch, such as {pair.a!r} and {pair.b!r}; allowed are ContactStepping(step=1e-3), "
            "the default, and Variational(step=1e-3); say m.contact = False to let nothing touch"
        )
