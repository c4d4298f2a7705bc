"""Poses and places in the native format.

    pose    [x, y, z], or a table with xyz and one of
                rpy = [roll, pitch, yaw]         turns about the fixed axes x, y, z, in this order, rad
                quaternion = [w, x, y, z]        of unit length
                axis = [x, y, z], angle = a      a turn about an axis, rad
                matrix = [[..], [..], [..]]      the rotation itself, by rows
    place   "crank", or { on = "crank", xyz = [...], rpy = [...] }

A pose is kept as a matrix. The writer looks for the first of rpy and quaternion that gives the very same matrix, bit for bit, when it is
read; if there is none, it writes the matrix.
"""

import functools
import itertools
import math

import numpy as np

from ..errors import FormatError, ModelError
from ..parts.place import IDENTITY, Place
from ..spatial.plain import plain
from ..spatial.pose import Pose
from ..spatial.so3 import quaternion_to_matrix
from .native_numbers import RefusalError, decode_number, decode_numbers, encode_number, encode_text, inside
from .native_report import found, unknown

POSE_KEYS = ("xyz", "rpy", "quaternion", "axis", "angle", "matrix")
ROTATION_KEYS = POSE_KEYS[1:]
KEPT = 1e-12  # a matrix this near to a rotation is kept as it is: products of many rotations are no nearer


# ---- to TOML


def pose_to_table(pose, owner, what):
    """A pose: a list if it is not turned, else a table."""
    table = pose_entries(pose, owner, what)
    return table.get("xyz", [0, 0, 0]) if set(table) <= {"xyz"} else table


def place_to_value(place, owner, what):
    """A place: the name of its part if it is at the origin, else a table."""
    name = encode_text(place.part, owner, f"the part of {what}")
    entries = pose_entries(place.pose, owner, what)
    return {"on": name, **entries} if entries else name


def pose_entries(pose, owner, what):
    """xyz and rotation as far as they are not zero."""
    table = {}
    if pose.translation.any():
        table["xyz"] = [encode_number(x, owner, f"xyz of {what}") for x in pose.translation.tolist()]
    if not np.isfinite(pose.rotation).all():
        raise FormatError(f"{owner}: the rotation of {what} holds a number that is not finite; correct it")
    if pose.rotation.tobytes() != IDENTITY.rotation.tobytes():
        key, numbers = _rotation(tuple(pose.rotation.ravel().tolist()))
        shown = [[encode_number(x, owner, what) for x in row] if key == "matrix" else encode_number(row, owner, what) for row in numbers]
        table[key] = shown
    return table


@functools.lru_cache(maxsize=8192)
def _rotation(entries):
    """(key, numbers) that give the same matrix again, from its nine entries by rows."""
    wanted = np.array(entries)
    for angles in _matching(_candidates(_angles(entries)), _by_angles, wanted):
        if (Pose.from_rpy(*angles).rotation.ravel() == wanted).all():
            return "rpy", angles
    quaternion = Pose._trusted(wanted.reshape(3, 3), np.zeros(3)).quaternion
    for candidate in _matching(_candidates(quaternion.tolist()), _by_quaternion, wanted):
        if (Pose(rotation=candidate).rotation.ravel() == wanted).all():
            return "quaternion", candidate
    return "matrix", wanted.reshape(3, 3).tolist()


def _angles(R):
    """Roll, pitch, yaw of a matrix (some, where pitch is a right angle)."""
    return [math.atan2(R[7], R[8]), math.asin(min(1.0, max(-1.0, -R[6]))), math.atan2(R[3], R[0])]


def _candidates(numbers):
    """(n, k): the numbers as a person may have given them, roundest first: in degrees, with few digits, and a last bit more or less."""
    rounded = [np.radians(np.round(np.degrees(numbers)))] + [np.round(numbers, digits) for digits in (6, 12, 15)]
    near = np.array(list(itertools.product((0.0, -1.0, 1.0), repeat=len(numbers))))
    return np.concatenate([rounded, numbers + near * np.spacing(np.abs(numbers))]) + 0.0


def _matching(candidates, matrices, wanted):
    """Candidates whose matrix is the wanted one."""
    return candidates[(matrices(candidates.T) == wanted).all(axis=1)].tolist()


def _by_angles(angles):
    """(n, 9), as Pose.from_rpy has it."""
    (c1, c2, c3), (s1, s2, s3) = np.cos(angles), np.sin(angles)
    rows = (c3 * c2, c3 * s2 * s1 - s3 * c1, c3 * s2 * c1 + s3 * s1), (s3 * c2, s3 * s2 * s1 + c3 * c1, s3 * s2 * c1 - c3 * s1)
    return np.stack([*rows[0], *rows[1], -s2, c2 * s1, c2 * c1], axis=1)


def _by_quaternion(quaternions):
    """(n, 9), as Pose has it; NaN for what is no unit quaternion."""
    R = np.stack(plain(quaternion_to_matrix)(tuple(quaternions)), axis=1)
    return np.where(abs(np.linalg.norm(quaternions, axis=0) - 1.0)[:, None] < 1e-9, R, np.nan)


# ---- from TOML


def pose_from_table(table):
    """A pose from a list [x, y, z] or a table. Raises RefusalError."""
    if isinstance(table, list):
        return Pose(decode_numbers(table, 3))
    if not isinstance(table, dict):
        raise RefusalError((), f"found {found(table)}; allowed is a list [x, y, z] or a table with {', '.join(POSE_KEYS)}")
    for key in table:
        if key not in POSE_KEYS:
            raise RefusalError((key,), unknown(key, POSE_KEYS, "key of a pose"))
    xyz = _numbers(table, "xyz", 3) if "xyz" in table else (0.0, 0.0, 0.0)
    given = [key for key in ROTATION_KEYS if key in table]
    if not given:
        return Pose(xyz)
    if given not in (["rpy"], ["quaternion"], ["axis", "angle"], ["matrix"]):
        raise RefusalError((given[0],), f"found {' and '.join(given)}; allowed is one of rpy, quaternion, axis with angle, matrix")
    try:
        return Pose._trusted(_given_rotation(table, given[0]).rotation, np.array(xyz))
    except ModelError as error:
        raise RefusalError((given[0],), str(error)) from None


def _given_rotation(table, key):
    if key == "rpy":
        return Pose.from_rpy(*_numbers(table, "rpy", 3))
    if key == "quaternion":
        return Pose(rotation=_numbers(table, "quaternion", 4))
    if key == "matrix":
        rows = table["matrix"]
        if not isinstance(rows, list) or len(rows) != 3:
            raise RefusalError(("matrix",), f"found {found(rows)}; allowed are three rows of three numbers")
        R = np.array([_numbers({"matrix": row}, "matrix", 3) for row in rows])
        near = np.abs(R.T @ R - np.eye(3)).max() <= KEPT and np.linalg.det(R) > 0.0
        return Pose._trusted(R, np.zeros(3)) if near else Pose(rotation=R)
    axis = np.array(_numbers(table, "axis", 3))
    length = np.linalg.norm(axis)
    if length == 0.0 or not np.isfinite(length):
        raise RefusalError(("axis",), f"found {found(table['axis'])}, which has no direction; give a vector other than zero")
    angle = inside("angle", decode_number, table["angle"])
    return Pose.exp((*(axis / length * angle), 0.0, 0.0, 0.0))


def _numbers(table, key, size):
    return inside(key, decode_numbers, table[key], size)


def place_from_value(value, extra=()):
    """A Place from a name or a table with `on`. `extra`: further keys that the table may have. Raises RefusalError."""
    if isinstance(value, str):
        value = {"on": value}
    if not isinstance(value, dict):
        raise RefusalError((), f'found {found(value)}; allowed is the name of a body or frame, or {{ on = "name", xyz = [x, y, z] }}')
    if "on" not in value:
        raise RefusalError((), 'it says not what it is on; give on = "name of a body or frame"')
    if not isinstance(value["on"], str) or not value["on"].strip():
        raise RefusalError(("on",), f"found {found(value['on'])}; allowed is the name of a body or frame")
    pose = {key: entry for key, entry in value.items() if key != "on" and key not in extra}
    for key in pose:
        if key not in POSE_KEYS:
            raise RefusalError((key,), unknown(key, ["on", *POSE_KEYS, *extra], "key of a place"))
    return Place(value["on"], pose_from_table(pose) if pose else IDENTITY)
