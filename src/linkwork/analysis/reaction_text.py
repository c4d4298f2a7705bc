"""Reactions as a table."""

import numpy as np

from ..constraints.modes import CONTRADICTION
from .report_text import counted, listed, short, table
from .transmission import turns

MOST = 60  # rows of the table
OPEN = 1e-6  # a gap that is worth a word, rad or lengths of the mechanism, if that is less than 1 m


def reactions_text(r):
    """The table that `print(reactions)` shows."""
    lines = [f"Reactions in {r.model.name!r}: what the parent exerts on the child of a joint, and a constraint on its first place"]
    if r.self_stress:
        lines.append(
            f"{counted(r.self_stress, 'self-stress', 'self-stresses')}: numbers with ~ are not unique; "
            f"shown is the choice of least norm (L = {short(r.length)} m)"
        )
    else:
        lines.append("all numbers are unique")
    open_ = {name: gap for name, gap in r.gaps.items() if gap > OPEN * min(1.0, r.length)}
    if open_:
        lines.append(f"the pose is open: {listed([*open_][:5])} by up to {short(max(open_.values()))} m or rad; lw.assemble closes it")
    if r.residual > CONTRADICTION:
        lines.append(
            f"constraints contradict each other (residual {short(r.residual)}), shown is a compromise: lw.mobility(model, q) tells which"
        )
    wrenches = {part.name: (r.wrench(part.name), r.unique(part.name)) for part in _shown(r)}
    largest = max((np.max(np.abs(W)) for W, _ in wrenches.values()), default=0.0)
    rows = []
    for name, (W, unique) in wrenches.items():
        rows.append([name, *(("" if sure else "~") + short(x, 1e-9 * largest) for x, sure in zip(W, unique, strict=True))])
    if rows:
        more = [f"and {len(rows) - MOST} more: ask for them by name"] if len(rows) > MOST else []
        rows = rows[:MOST]
        lines += table(["world axes, about its point", "Mx", "My", "Mz [N m]", "Fx", "Fy", "Fz [N]"], rows) + more
    lines += _drives(r)
    return "\n".join(lines)


def _shown(r):
    """Joints that can transmit something, and constraints between places."""
    joints = [j for j in r.model.joints if not j.kind.free]
    return [*joints, *(c for c in r.model.constraints if not c.is_loop and c.places)]


def _drives(r):
    rows = []
    for c in r.model.constraints:
        if c.is_loop or not c.joints:
            continue
        force, sure = r.drive(c.name)[0], r.drive_unique(c.name)[0]
        unit = "N m" if turns(r.model.joint(c.joints[-1][0]).kind, c.joints[-1][1]) else "N"
        rows.append([c.name, ("" if sure else "~") + short(force, 1e-12), unit, listed([j for j, _ in c.joints])])
    return ["", *table(["drives and couplings", "force", "", "at"], rows)] if rows else []
