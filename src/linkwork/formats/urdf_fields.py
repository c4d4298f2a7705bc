"""Attributes of a URDF element as numbers, vectors, names and poses. A bad one becomes a fault and reads as None.

Numbers are decimal, finite and ASCII: the reference parser reads no `nan`, `inf`, hexadecimal or `1_000`, and neither do we.
"""

import math
import re

from ..spatial import Pose
from .urdf_report import shown

REQUIRED = object()
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LONGEST_NUMBER = 400  # characters; the longest double printed in full takes 325


def text(report, element, attribute, default=REQUIRED):
    """A non-empty attribute. Missing: the default, or a fault if it is REQUIRED."""
    value = element.get(attribute)
    if value is None and default is not REQUIRED:
        return default
    if value is None:
        report.fault(element, f"attribute {attribute} is missing; it has no default")
    elif not value.strip():
        report.fault(element, f"attribute {attribute} is empty")
    else:
        return value
    return None


def number(report, element, attribute, default=REQUIRED):
    """A finite number."""
    value = text(report, element, attribute, default)
    if not isinstance(value, str):
        return value
    numbers = _numbers(report, element, attribute, value, 1)
    return numbers and numbers[0]


def vector(report, element, attribute, size, default=REQUIRED):
    """A tuple of `size` finite numbers, separated by white space."""
    value = text(report, element, attribute, default)
    return _numbers(report, element, attribute, value, size) if isinstance(value, str) else value


def _numbers(report, element, attribute, value, size):
    words = value.split(None, size)
    wanted = "one finite number" if size == 1 else f"{size} finite numbers"
    if len(words) != size:
        count = len(words) if len(words) < size else f"more than {size}"
        report.fault(element, f"attribute {attribute} is {shown(value)}, which has {count} words; {wanted} needed")
        return None
    for word in words:
        if len(word) > _LONGEST_NUMBER or not _NUMBER.fullmatch(word):
            comma = " (the decimal sign is a point)" if "," in word else ""
            report.fault(element, f"attribute {attribute} is {shown(value)}; {wanted} needed{comma}")
            return None
    numbers = tuple(float(word) for word in words)
    if not all(map(math.isfinite, numbers)):
        report.fault(element, f"attribute {attribute} is {shown(value)}, beyond the largest number (about 1.8e308)")
        return None
    return numbers


def pose(report, element, version):
    """The pose of an <origin>, or the identity if there is none.

    `xyz` in m and `rpy` in rad, fixed-axis roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll). From version 1.1 on `quat_xyzw`
    may take the place of `rpy`.
    """
    if element is None:
        return Pose()
    xyz = vector(report, element, "xyz", 3, (0.0, 0.0, 0.0))
    rpy = vector(report, element, "rpy", 3, (0.0, 0.0, 0.0))
    quaternion = _quaternion(report, element, version)
    if xyz is None or rpy is None:
        return Pose()
    if quaternion is not None:
        return Pose(xyz, quaternion)
    return Pose.from_rpy(*rpy, xyz)


def _quaternion(report, element, version):
    """`quat_xyzw` as a unit quaternion wxyz, or None."""
    if element.get("quat_xyzw") is None:
        return None
    if version < (1, 1):
        report.note(element, "attribute quat_xyzw ignored: it exists from URDF version 1.1 on and the file says 1.0", matters=True)
        return None
    if element.get("rpy") is not None:
        report.fault(element, "both rpy and quat_xyzw are given; only one of them can hold")
        return None
    xyzw = vector(report, element, "quat_xyzw", 4)
    if xyzw is None:
        return None
    length = math.hypot(*xyzw)
    if not 1e-6 < length < 1e6:
        report.fault(element, f"attribute quat_xyzw has length {length:.3g}; a unit quaternion is needed")
        return None
    if abs(length - 1.0) > 1e-3:
        report.note(element, f"quat_xyzw of length {length:.6g} scaled to 1")
    x, y, z, w = (c / length for c in xyzw)
    return w, x, y, z
