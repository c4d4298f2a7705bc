"""From constraints to tables of rows: the other half of `build`."""

import math
from typing import NamedTuple

import numpy as np

from ..parts.constraints.kind import LOCK, RELATION, Block
from ..parts.constraints.law import CONSTANT, FUNCTION, PIECEWISE
from .compiled import compile_law, compile_relation
from .rules import BLOCK, LAW, RULE_SIZES, TERM, Rules

WELDED = Block(LOCK, ("x", "y", "z", "rx", "ry", "rz"), mask=63)


class Marker(NamedTuple):
    """A frame on a link (-1: the world), in the link's final frame. `home`: its (R, p) in the world with all joints at zero, if needed."""

    link: int
    R: np.ndarray
    p: np.ndarray
    home: tuple | None = None


class Rule(NamedTuple):
    """A block of rows and what it acts on: two markers, or joint coordinates (q, v, link)."""

    name: str
    block: Block
    a: Marker
    b: Marker
    coordinates: tuple[tuple[int, int, int], ...] = ()


NOWHERE = Marker(-1, np.eye(3), np.zeros(3))


def lay_rules(rules, links):
    """(Rules, what must be kept alive) of a list of Rule."""
    blocks, terms, laws, paths, numbers, alive = np.zeros(len(rules), BLOCK), [], [], [], [_length(rules, links)], []
    row = propagated = 0
    parents, counts = links["parent"].tolist(), links["nv"].tolist()
    for entry, rule in zip(blocks, rules, strict=True):
        block = rule.block
        entry["kind"], entry["mask"], entry["holonomic"] = block.kind, block.mask, block.holonomic
        entry["row"], entry["rows"] = row, len(block.rows)
        for side, marker, turn in (("a", rule.a, block.turn_a), ("b", rule.b, block.turn_b)):
            entry[side] = marker.link
            entry["R" + side] = (marker.R if turn is None else marker.R @ turn).ravel()
            entry["p" + side] = marker.p
        entry["numbers"][: len(block.numbers)] = block.numbers
        if block.kind == LOCK:
            entry["turning"] = int(block.numbers[0]) if block.numbers else 0
        entry["law"], entry["laws"], entry["moving"] = len(laws), len(block.laws), bool(block.laws)
        for law in block.laws:
            laws.append(_lay_law(rule.name, law, numbers, alive))
        if block.function is not None:
            entry["code"], keep = compile_relation(rule.name, block.function, len(block.rows), (rule.a.home, rule.b.home))
            alive.append(keep)
        entry["term"], entry["terms"] = len(terms), len(rule.coordinates)
        terms += [(q, v, link, 0, c) for (q, v, link), c in zip(rule.coordinates, block.coefficients, strict=True)]
        path, entry["meet"] = _path(parents, rule)
        width = sum(counts[i] for i in path)
        entry["path"], entry["paths"], entry["y"], entry["width"] = len(paths), len(path), propagated, width
        paths += path
        row += len(block.rows)
        propagated += len(block.rows) * width
    sizes = {"nblocks": len(rules), "nc": row, "nterms": len(terms), "nlaws": len(laws), "npaths": len(paths)}
    sizes |= {"nnumbers": len(numbers) - 1, "propagated": propagated, "spare": 0}
    tables = Rules(
        np.array([sizes[name] for name in RULE_SIZES], dtype=np.int64),
        blocks,
        np.array(terms, dtype=TERM),
        np.array(laws, dtype=LAW),
        np.array(paths, dtype=np.int64),
        np.array(numbers, dtype=np.float64),
    )
    return tables, alive


def _lay_law(name, law, numbers, alive):
    if law.kind == CONSTANT:
        return CONSTANT, 0, 0, 0, law.value, 0
    if law.kind == PIECEWISE:
        first, order = len(numbers), len(law.pieces[0])
        numbers.extend(law.breaks)
        for piece in law.pieces:
            numbers.extend(piece)
        return PIECEWISE, first, len(law.pieces), order, float(not law.extrapolates), 0
    code, keep = compile_law(name, law)
    alive.append(keep)
    return FUNCTION, 0, 0, 0, 0.0, code


def _length(rules, links):
    """A length that occurs in the mechanism, m: the farthest that a marker or a link is from the link it stands on."""
    found = [*(marker.p for rule in rules for marker in (rule.a, rule.b)), *links["r"]]
    return math.sqrt(max((np.dot(p, p) for p in found), default=0.0)) or 1.0


def _path(parents, rule):
    """All links that feel a multiplier, children before parents: those that carry a marker or a coordinate, and all that carry these.

    Also the link where the ways of the two markers meet, -1 for the world. The two wrenches of a row cancel there, but what the joints
    below have taken out of them does not: the way goes on to the root.
    """
    above = [_ancestry(parents, link) for link in (rule.a.link, rule.b.link, *(link for _, _, link in rule.coordinates))]
    meet = -1 if rule.coordinates or rule.block.kind == RELATION else max(set(above[0]) & set(above[1]), default=-1)
    return sorted({link for way in above for link in way}, reverse=True), meet


def _ancestry(parents, link):
    path = []
    while link >= 0:
        path.append(link)
        link = parents[link]
    return path
