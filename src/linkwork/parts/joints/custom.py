"""Custom joint: a motion given by three functions of its own coordinates, such as a cam, a knee or a path.

X_J = pose(q),   v_J = S(q) v,   v = dq/dt,   S = motion(q) in the child's frame,   Sdot v = rate(q, v) component by component.

Pose, motion and rate must belong together. That is checked by central differences at two positions:

    S_k = [vee(R^T dR/dq_k); R^T dp/dq_k],       rate = (S(q + h v) - S(q - h v)) v / 2h.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError
from ...jets.retarget import interpreted
from ..validation import refuse, whole
from .kind import JointKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

# Step of the central differences; their error is about h^2 + 1e-16 / h, so 1e-10 for functions of ordinary curvature.
STEP = 1e-5
# Agreement asked for: wide enough for functions that were written with six digits, narrow enough to find a wrong sign.
TOLERANCE = 1e-5
MOST_FREEDOM = 6


@dataclass(frozen=True, repr=False)
class Custom(JointKind):
    """A joint of `nv` (1 to 6) coordinates in rad, m or any other unit.

    pose(q)     -> (x, y, z, qw, qx, qy, qz), the child's joint frame in the parent's
    motion(q)   -> nv columns of 6 numbers [angular; linear], the child's velocity per unit of each dq/dt, in the child's frame
    rate(q, v)  -> 6 numbers, the derivative of motion(q) in time, times v

    Plain functions of arrays, best defined at the top of a module, so that the joint can be pickled.

    >>> import linkwork as lw
    >>> def pose(q):  # a slider along x, by hand
    ...     return q[0], 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    >>> def motion(q):
    ...     return ((0.0, 0.0, 0.0, 1.0, 0.0, 0.0),)
    >>> def rate(q, v):
    ...     return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    >>> slider = lw.Custom(nv=1, pose=pose, motion=motion, rate=rate, damping=2.0)
    >>> slider.nq, slider.nv, slider.damping
    (1, 1, (2.0,))
    """

    nv: int = field()
    pose: Callable[[Sequence[float]], Sequence[float]]
    motion: Callable[[Sequence[float]], Sequence[Sequence[float]]]
    rate: Callable[[Sequence[float], Sequence[float]], Sequence[float]]

    custom = True

    def __post_init__(self) -> None:
        self.__dict__["nv"] = whole(self.nv, "Custom", "nv", f"give a whole number from 1 to {MOST_FREEDOM}")
        if not 1 <= self.nv <= MOST_FREEDOM:
            raise ModelError(
                f"Custom: nv is {self.nv}; a joint has from 1 to {MOST_FREEDOM} degrees of freedom; "
                "use Weld for none, or a body between two joints for more"
            )
        for what in ("pose", "motion", "rate"):
            if not callable(getattr(self, what)):
                raise refuse("Custom", what, getattr(self, what), "give a function")
        super().__post_init__()

    @property
    def nq(self) -> int:  # type: ignore[override]
        return self.nv

    def geometry_faults(self) -> Iterator[tuple[str, str]]:
        for start in (0.0, 0.3):
            q = np.clip(start + 0.1 * np.arange(self.nv) * (start > 0), *np.nan_to_num((self.lower, self.upper)))
            found = next(self._faults_at(q), None)
            if found:
                yield "custom", f"at q = {np.array2string(q, separator=', ')} {found}"
                return

    def _faults_at(self, q: NDArray[np.float64]) -> Iterator[Any]:
        v = 1.0 - 0.1 * np.arange(self.nv)
        at, motion_at, rate_at = interpreted(self.pose), interpreted(self.motion), interpreted(self.rate)
        try:
            pose = _numbers(at(q.copy()), (7,))
            S = _numbers(motion_at(q.copy()), (self.nv, 6))
            rate = _numbers(rate_at(q.copy(), v.copy()), (6,))
            around = [(_pose_near(at, q, k, -STEP), _pose_near(at, q, k, STEP)) for k in range(self.nv)]
            S_before, S_after = (_numbers(motion_at(q + sign * STEP * v), (self.nv, 6)) for sign in (-1, 1))
        except Exception as error:  # whatever a user's function raises is a fault of this joint, to be reported with the others
            yield f"its functions failed ({type(error).__name__}: {error}); they must work for every q within the limits; correct them"
            return
        for what, found, needed in (("pose", pose, 7), ("motion", S, f"{self.nv} columns of 6"), ("rate", rate, 6)):
            if found is None or not np.all(np.isfinite(found)):
                yield f"{what} returned something else than {needed} finite numbers; correct the function"
                return
        if abs(np.linalg.norm(pose[3:]) - 1.0) > TOLERANCE:
            yield f"pose returned a quaternion of length {np.linalg.norm(pose[3:]):g}; allowed is 1; normalise it"
            return
        if any(x is None for pair in around for x in pair) or S_before is None or S_after is None:
            yield "its functions return another number of values nearby; they must be the same everywhere; correct them"
            return
        S_numeric = np.array([_twist(pose, before, after) for before, after in around])
        yield from _disagreement("motion", S, S_numeric, "the derivative of pose, seen in the child's frame")
        yield from _disagreement("rate", rate, (S_after - S_before).T @ v / (2 * STEP), f"the derivative of motion in time for v = {v}")


def _pose_near(pose: Callable[..., Any], q: NDArray[np.float64], k: int, step: float) -> NDArray[np.float64]:
    moved = q.copy()
    moved[k] += step
    return _numbers(pose(moved), (7,))


def _numbers(value: tuple[Any, ...], shape: tuple[int, ...]) -> NDArray[np.float64]:
    found = np.asarray(value, dtype=float)
    return found if found.shape == shape else None


def _disagreement(what: str, given: NDArray[np.float64], numeric: NDArray[np.float64], meaning: str) -> Iterator[Any]:
    error = np.max(np.abs(given - numeric))
    if not error <= TOLERANCE * (1.0 + np.max(np.abs(numeric))):
        yield (
            f"{what} differs by {error:.3g} from {meaning}: given {np.array2string(given, precision=4)}, "
            f"found {np.array2string(numeric, precision=4, suppress_small=True)}; correct the function"
        )


def _rotation(quaternion: NDArray[np.float64]) -> NDArray[np.float64]:
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _twist(pose: NDArray[np.float64], before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    """Spatial velocity, in the frame of `pose`, of the motion from `before` to `after` in 2 STEP."""
    R = _rotation(pose[3:])
    W = R.T @ (_rotation(after[3:]) - _rotation(before[3:])) / (2 * STEP)
    angular = (W[2, 1] - W[1, 2]) / 2, (W[0, 2] - W[2, 0]) / 2, (W[1, 0] - W[0, 1]) / 2
    return np.concatenate([angular, R.T @ (after[:3] - before[:3]) / (2 * STEP)])
