"""Configurations that a picture is asked for, judged before anything is drawn."""

import warnings

import numpy as np

from ..analysis.assembly import assemble
from ..arguments import need_array
from ..dynamics.configuration import neutral
from ..errors import AssemblyError, PictureWarning, StateError


def configuration(model, q, many=False):
    """q as an array (nq,), or with many (n, nq). None: all joints at zero, and loops closed from there if they close."""
    if q is None:
        q = _closed(model)
    q = need_array("q", q, f"{model.nq} numbers")
    if many and q.size:
        q = q.reshape(1, -1) if q.ndim == 1 else q.reshape(-1, q.shape[-1]) if q.ndim > 1 else q
    wanted = f"(n, {model.nq})" if many else f"({model.nq},)"
    if q.ndim != (2 if many else 1) or q.shape[-1] != model.nq or (not len(q) and many):
        raise StateError(f"q: shape {q.shape}; allowed is {wanted} for model {model.name!r}; give one number for each coordinate", "q")
    bad = np.argwhere(~np.isfinite(q))
    if len(bad):
        where = f"pose {bad[0][0]}, " if many and len(q) > 1 else ""
        k = int(bad[0][-1])
        raise StateError(
            f"q: {where}coordinate {k} (joint {model.joint_at_q(k)!r}) is {q[tuple(bad[0])]}; allowed are finite numbers; "
            "look where the motion failed, and draw what comes before",
            "q",
        )
    return q


def _closed(model):
    q = neutral(model)
    if not model.nc:
        return q
    try:
        return assemble(model, q)
    except AssemblyError as error:
        warnings.warn(f"{model.name!r} is drawn with all joints at zero and loops open: {error}", PictureWarning, stacklevel=4)
        return q
