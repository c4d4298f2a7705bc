"""Which integrator a run has if none is given, and which can take contact."""

from ..errors import ModelError
from .nonsmooth.method import ContactStepping
from .runge_kutta.classical import RungeKutta4


def default_integrator(model):
    """RungeKutta4, or ContactStepping where bodies touch."""
    return ContactStepping() if model.touches else RungeKutta4()


def refuse_contact(model, integrator, lanes=False):
    """A ModelError for a method that would let bodies pass through each other. lanes: for copies side by side, which cannot go from event to event."""
    if model.touches and (not integrator.takes_contact or (lanes and integrator.by_events)):
        pair, name = model.pairs[0], type(integrator).__name__
        others = "" if lanes else ", Variational(step=1e-3), and RungeKutta4 and Adaptive, which go from event to event of contact"
        raise ModelError(
            f"integrator: found {name}, which {'in a rollout ' if lanes else ''}lets bodies pass through each other, for {model.name!r}, in which "
            f"{len(model.pairs)} pairs of shapes may touch, such as {pair.a!r} and {pair.b!r}; allowed: ContactStepping(step=1e-3), the default{others}; "
            "say m.contact = False to let nothing touch"
        )
