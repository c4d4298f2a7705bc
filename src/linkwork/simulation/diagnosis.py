"""Why a step failed: which joint, which force, and one thing to try."""

import numpy as np

from .raised import raised_in
from .status import Status

GROWN = 1e10  # rad/s or m/s: no motion, but that of steps that are too large, on its way to overflow


def diagnose_step(sim, reason):
    """The Status of a run whose last step could not be taken; it stands at its last good state."""
    system, model = sim.system, sim.model
    raised = raised_in(system)  # first: to evaluate is to call users' functions again
    q, v = system.q.copy(), system.v.copy()
    acts = system.evaluate(sim.time, q, v)
    step = getattr(sim.integrator, "step", None)
    finite = np.isfinite(acts.vdot)
    worst = int(np.argmin(finite)) if not finite.all() else int(np.argmax(np.abs(acts.vdot))) if model.nv else -1
    joint = next((j for j in model.joints if j.v_index.start <= worst < j.v_index.stop), None)
    powers = acts.powers[: len(system.loads.infos)]
    force = None
    if len(powers):
        strange = ~np.isfinite(powers)
        k = int(np.argmax(strange)) if strange.any() else int(np.argmax(np.abs(powers)))
        force = system.loads.names[k] if strange.any() or abs(powers[k]) > 0 else None
    grown = bool(model.nv) and float(np.abs(v).max()) > GROWN
    if raised is not None:
        reason, force, suggestion = str(raised), raised.force or force, "correct that function"
    elif not finite.all() and not grown and force is not None and not np.isfinite(powers).all():
        suggestion = f"look at what force {force!r} returns at this state"
    elif not finite.all() and not grown:
        suggestion = "check the laws of time and the masses at this state with lw.forward_dynamics and lw.mobility"
    else:
        smaller = "a smaller step" if step is None else f"a smaller step, such as {step / 10:g} s"
        suggestion = f"try {smaller}, or Implicit if a spring or damper is stiff"
    body = None if joint is None else joint.child
    return Status(
        "failed", reason, time=sim.time, body=body, joint=None if joint is None else joint.name, force=force, suggestion=suggestion
    )
