"""From constraints to tables of rows: the other half of `build`."""

import math
from typing import NamedTuple

import numpy as np

from ..parts.constraints.kind import ANGLE, COUPLING, LOCK, RELATION, SPEED, Block
from ..parts.constraints.time_function import CONSTANT, FUNCTION, PIECEWISE
from .compiled import compile_relation, compile_time_function
from .constraint_tables import BLOCK, CONSTRAINT_SIZES, GROUP, TERM, TIME_FUNCTION, ConstraintTables
from .tables import AXIAL, FREE

WELDED = Block(LOCK, ("x", "y", "z", "rx", "ry", "rz"), mask=63)


class Marker(NamedTuple):
    """A frame on a link (-1: the world), in the link's final frame. `home`: its (R, p) in the world with all joints at zero, if needed."""

    link: int
    R: np.ndarray
    p: np.ndarray
    home: tuple | None = None


class PlacedBlock(NamedTuple):
    """A block of rows and what it acts on: two markers, or joint coordinates (q, v, link)."""

    name: str
    block: Block
    a: Marker
    b: Marker
    coordinates: tuple[tuple[int, int, int], ...] = ()


NOWHERE = Marker(-1, np.eye(3), np.zeros(3))


def lay_constraints(placed_blocks, links):
    """(ConstraintTables, what must be kept alive) of a list of PlacedBlock."""
    length = _length(placed_blocks, links)
    blocks, terms, time_functions, paths, velocities, coefficients, alive = np.zeros(len(placed_blocks), BLOCK), [], [], [], [], [], []
    row = 0
    parents, owned = links["parent"].tolist(), [range(v, v + nv) for v, nv in links[["v", "nv"]].tolist()]
    for entry, placed in zip(blocks, placed_blocks, strict=True):
        block = placed.block
        entry["kind"], entry["mask"], entry["holonomic"] = block.kind, block.mask, block.holonomic
        entry["row"], entry["rows"] = row, len(block.rows)
        for side, marker, turn in (("a", placed.a, block.turn_a), ("b", placed.b, block.turn_b)):
            entry[side] = marker.link
            entry["R" + side] = (marker.R if turn is None else marker.R @ turn).ravel()
            entry["p" + side] = marker.p
        entry["measure"], entry["turning"] = block.measure, block.turning
        entry["time_function"], entry["time_functions"], entry["moving"] = (
            len(time_functions),
            len(block.time_functions),
            bool(block.time_functions),
        )
        for time_function in block.time_functions:
            time_functions.append(_lay_time_function(placed.name, time_function, coefficients, alive))
        if block.function is not None:
            entry["code"], keep = compile_relation(placed.name, block.function, len(block.rows), (placed.a.home, placed.b.home))
            alive.append(keep)
        entry["term"], entry["terms"] = len(terms), len(placed.coordinates)
        terms += [
            (q, v, link, 0, c, c * length if _slides(links[link], v) else c)
            for (q, v, link), c in zip(placed.coordinates, block.coefficients, strict=True)
        ]
        path, entry["meet"] = _path(parents, placed)
        on_path = [v for i in path for v in owned[i]]
        entry["path"], entry["paths"], entry["y"], entry["width"] = len(paths), len(path), len(velocities), len(on_path)
        paths += path
        velocities += on_path * len(block.rows)
        row += len(block.rows)
    sizes = {"nblocks": len(placed_blocks), "nc": row, "nterms": len(terms), "ntime_functions": len(time_functions), "npaths": len(paths)}
    groups = _group(blocks, paths, links)
    sizes |= {"ncoefficients": len(coefficients), "propagated": len(velocities), "ngroups": len(groups[0]), "ncolumns": len(groups[-1])}
    sizes |= {
        "matrix_of_rows": int((groups[0]["rows"] ** 2).sum()),
        "directions": int((groups[0]["rows"] * groups[0]["columns"]).max(initial=0)),
    }
    tables = ConstraintTables(
        np.array([sizes[name] for name in CONSTRAINT_SIZES], dtype=np.int64),
        blocks,
        np.array(terms, dtype=TERM),
        np.array(time_functions, dtype=TIME_FUNCTION),
        np.array(paths, dtype=np.int64),
        np.array([length]),
        np.array([1.0 / unit for placed in placed_blocks for unit in _row_units(placed, links, length)]),
        np.array(coefficients, dtype=np.float64),
        *groups,
        np.array(velocities, dtype=np.int64),
    )
    return tables, alive


def _group(blocks, paths, links):
    """(groups, fellows, members, places, columns) of blocks whose paths are laid: those that share a link are of one group. Fills `group` of the blocks."""
    first, root = [-1] * len(links), list(range(len(blocks)))  # of each link the first block through it; union-find over the blocks

    def find(b):
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        return b

    for b, (path, count) in enumerate(blocks[["path", "paths"]].tolist()):
        for link in paths[path : path + count]:
            if first[link] < 0:
                first[link] = b
            else:
                one, other = find(b), find(first[link])
                root[max(one, other)] = min(one, other)
    roots, group = np.unique(np.array([find(b) for b in range(len(blocks))], dtype=np.int64), return_inverse=True)
    blocks["group"] = group
    by_row = np.repeat(group, blocks["rows"])
    fellows, members = np.argsort(group, kind="stable"), np.argsort(by_row, kind="stable")
    table, columns = np.zeros(len(roots), GROUP), np.full(int(links["nv"].sum()), -1, dtype=np.int64)
    table["blocks"], table["rows"] = np.bincount(group, minlength=len(roots)), np.bincount(by_row, minlength=len(roots))
    for link, (v, nv) in enumerate(links[["v", "nv"]].tolist()):
        if first[link] >= 0:
            own = table[group[first[link]]]
            columns[v : v + nv] = np.arange(own["columns"], own["columns"] + nv)
            own["columns"] += nv
    table["block"], table["first"] = (np.cumsum(table[name]) - table[name] for name in ("blocks", "rows"))
    table["matrix"] = np.cumsum(table["rows"] ** 2) - table["rows"] ** 2
    places = np.empty(len(members), dtype=np.int64)
    places[members] = np.arange(len(members)) - np.repeat(table["first"], table["rows"])
    return table, fellows.astype(np.int64), members.astype(np.int64), places, columns


def _lay_time_function(name, time_function, coefficients, alive):
    """The row of a law in the table of laws: kind, first, count, order, ends, spare, value, code."""
    if time_function.kind == CONSTANT:
        return CONSTANT, 0, 0, 0, 0, 0, time_function.value, 0
    if time_function.kind == PIECEWISE:
        first, order = len(coefficients), len(time_function.pieces[0])
        coefficients.extend(time_function.breaks)
        for piece in time_function.pieces:
            coefficients.extend(piece)
        return PIECEWISE, first, len(time_function.pieces), order, int(not time_function.extrapolates), 0, 0.0, 0
    code, keep = compile_time_function(name, time_function)
    alive.append(keep)
    return FUNCTION, 0, 0, 0, 0, 0, 0.0, code


def _length(placed_blocks, links):
    """A length that occurs in the mechanism, m: the farthest that a marker or a link is from the link it stands on; of links that are all in one place, the
    farthest that mass is from it; 1 where there is none."""
    found = [*(marker.p for placed in placed_blocks for marker in (placed.a, placed.b)), *links["r"]]
    longest = math.sqrt(max((np.dot(p, p) for p in found), default=0.0))
    return longest or math.sqrt(max((_gyration(link) for link in links if link["m"] > 0.0), default=0.0)) or 1.0


def _gyration(link):
    """The square of a radius of gyration about a link's origin, m^2: half the trace of the inertia over the mass."""
    return 0.5 * float(sum(link["I"][k] for k in (0, 3, 5))) / float(link["m"])


def _row_units(placed, links, length):
    """What each row of a block is measured by, so that 1 is a size of it in a mechanism of any size: a length, m, or 1 rad."""
    block = placed.block
    if block.kind == LOCK:
        return [length if k < 3 else 1.0 for k in range(6) if block.mask >> k & 1]
    if block.kind in (COUPLING, SPEED):
        slides = (abs(c) for (_, v, link), c in zip(placed.coordinates, block.coefficients, strict=True) if _slides(links[link], v))
        return [length * max(slides, default=0.0) or 1.0]
    return [1.0 if block.kind in (ANGLE, RELATION) else length] * len(block.rows)


def _slides(link, v):
    """Is a velocity of a link one of sliding?"""
    return v - link["v"] >= 3 if link["kind"] == FREE else link["kind"] == AXIAL and link["turn"] == 0.0


def _path(parents, placed):
    """All links that feel a multiplier, children before parents: those that carry a marker or a coordinate, and all that carry these.

    Also the link where the ways of the two markers meet, -1 for the world. The two wrenches of a row cancel there, but what the joints
    below have taken out of them does not: the way goes on to the root.
    """
    above = [_ancestry(parents, link) for link in (placed.a.link, placed.b.link, *(link for _, _, link in placed.coordinates))]
    meet = -1 if placed.coordinates or placed.block.kind == RELATION else max(set(above[0]) & set(above[1]), default=-1)
    return sorted({link for way in above for link in way}, reverse=True), meet


def _ancestry(parents, link):
    path = []
    while link >= 0:
        path.append(link)
        link = parents[link]
    return path
