"""The order in which the sparse solver eliminates, and the fill that follows from it; found once for a model.

The multiplier system in maximal coordinates has six accelerations for each link, and multipliers for the rows of its joint and of the constraints:

    [ M  G^T ] [   a     ]   [ f ]
    [ G   0  ] [ -lambda ] = [ c ]

A link and the rows of its own joint are one node, each block of a constraint's rows is another. A row has a zero on the diagonal, so it may
be eliminated only after links that give it full rank; else a valid row would be dropped as redundant. The safe order (after Tasora, whose
links follow the bodies they join): links from the tips inward; a constraint where the ways from its two places to the root meet, when
everything beyond that link has been eliminated, just before the link itself. Then its diagonal block is J M^-1 J^T of what is beyond, and
it depends on no joint further in. Constraints that meet at the same link are ordered by minimum degree (George and Liu 1989, as in SuperLU).

The cut body of a joint that closes a loop goes before all, with the weld that holds it, where the joint allows it (loop_joints.py); in a planar
loop without the rows that no motion of the loop could break (planar.py).

A constraint fills a block on each link of its path and with every constraint whose path it shares, or that meets it through a third.
"""

from typing import NamedTuple

import numpy as np

from ...dynamics.joints.closing import free_directions
from ...parts.constraints.kind import COUPLING, LOCK, RELATION, SPEED
from .planar import at_zero, idle_directions


class Order(NamedTuple):
    """What elimination meets. Constraints are numbered by their turn: `turn[e]` is the block of the model that is eliminated as e-th."""

    turn: list  # of blocks of the model
    meet: list  # of each, the link before which it is eliminated, -1: after all links
    paths: list  # of each, its links beyond that, children before parents
    starts: list  # of each, the links where it begins
    alive: list  # of each link, the constraints (by turn) that pass through it, sorted
    later: list  # of each, the constraints coupled with it that are eliminated after it, sorted: the fill among constraints
    closing: (
        dict  # the joints that close loops whose cut bodies go first, by turn: (cut body, parent, body, mask of directions without a row)
    )

    @property
    def blocks(self):
        """Number of blocks of the factor: links and their parents, constraints on links, constraints among each other."""
        links = len(self.alive)
        return 2 * links + sum(map(len, self.alive)) + sum(1 + len(later) for later in self.later)


def find_order(model):
    """The order of elimination of a model's multiplier system."""
    parents = model.tables.links["parent"].tolist()
    depth = _depths(parents)
    closing = closing_joints(model)
    found = [
        _span(parents, depth, block, model.constraint_tables.terms, closing.get(k))
        for k, block in enumerate(model.constraint_tables.blocks)
    ]
    through = [[] for _ in parents]
    for k, (_, path, _) in enumerate(found):
        for link in path:
            through[link].append(k)
    coupled = [set() for _ in found]
    for group in set(map(tuple, through)):
        for k in group:
            coupled[k].update(group)
    turn, later = _eliminate(coupled, [meet for meet, _, _ in found])
    place = {k: e for e, k in enumerate(turn)}
    return Order(
        turn,
        *([found[k][part] for k in turn] for part in range(3)),
        [sorted(place[k] for k in group) for group in through],
        [sorted(place[k] for k in later[k_]) for k_ in turn],
        {place[k]: joint for k, joint in closing.items()},
    )


def _depths(parents):
    depth = []
    for parent in parents:
        depth.append(depth[parent] + 1 if parent >= 0 else 0)
    return depth


def _span(parents, depth, block, terms, closing):
    """(meet, path, starts) of a block of rows.

    A row between two places depends on the joints between them only; one between joint coordinates on these joints; a relation on all.
    """
    joints = terms["link"][block["term"] : block["term"] + block["terms"]].tolist()
    of_joints = block["kind"] in (COUPLING, SPEED)
    places = [] if of_joints else [int(block["a"]), int(block["b"])] if closing is None else list(closing[1:3])
    meet = _common(parents, depth, places + [parents[link] for link in joints]) if block["kind"] != RELATION else -1
    starts = [link for link in dict.fromkeys(places + joints) if link >= 0]
    path = set()
    for link in starts:
        while link != meet and link not in path:
            path.add(link)
            link = parents[link]
    return meet, sorted(path, reverse=True), starts


def _common(parents, depth, links):
    """The link nearest to all of them on their ways to the root, -1 if there is none."""
    if not links or min(links) < 0:
        return -1
    here = links[0]
    for other in links[1:]:
        while here != other:
            if depth[here] < depth[other]:
                here, other = other, here
            here = parents[here]
            if here < 0:
                return -1
    return here


def _eliminate(coupled, meets):
    """(order of constraints, the later neighbours of each): by meeting links from the tips inward, at each by minimum degree."""
    groups = {}
    for k, meet in enumerate(meets):
        groups.setdefault(meet, []).append(k)
    turn, later = [], [set() for _ in coupled]
    done = set()
    for meet in sorted(groups, reverse=True):
        for k in minimum_degree(groups[meet], coupled):
            done.add(k)
            turn.append(k)
            later[k] = coupled[k] - done
            for other in later[k]:
                coupled[other] |= later[k]
    return turn, later


def minimum_degree(nodes, coupled):
    """The nodes in an order of small fill, by SuperLU's multiple minimum degree on the pattern of their coupling."""
    if len(nodes) < 3:
        return nodes
    from scipy.sparse import csc_matrix
    from scipy.sparse.linalg import splu

    place = {k: i for i, k in enumerate(nodes)}
    pairs = [(place[k], place[j]) for k in nodes for j in coupled[k] if j in place and j != k]
    if not pairs:
        return nodes
    rows, columns = np.array(pairs).T
    size = len(nodes)
    # A dominant diagonal: only the permutation is wanted, and it must not be disturbed by pivoting.
    values = np.concatenate([np.full(len(pairs), -1.0), np.full(size, 2.0 * size)])
    diagonal = np.arange(size)
    pattern = csc_matrix((values, (np.concatenate([rows, diagonal]), np.concatenate([columns, diagonal]))), shape=(size, size))
    factor = splu(pattern, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return [nodes[i] for i in np.argsort(factor.perm_c)]


def closing_joints(model):
    """{block of the model: (cut body, parent, body, mask of the directions that need no row)} of the joints that can be treated so.

    Of the six directions of the cut body's link, those need none in which the joint moves, and those in which its loop never does.
    """
    tables, constraint_tables = model.tables, model.constraint_tables
    cuts = {joint.links[0] for joint in model.joints if joint.closes_loop and len(joint.links) == 1}
    others = {*tables.links["parent"].tolist(), *constraint_tables.terms["link"].tolist()}
    links, found = at_zero(tables.links), {}
    for k, block in enumerate(constraint_tables.blocks):
        cut, body = int(block["a"]), int(block["b"])
        if block["kind"] != LOCK or block["mask"] != 63 or block["moving"] or cut not in cuts or cut in others:
            continue
        link = tables.links[cut]
        free = free_directions(link, tables.generals)
        if free and body >= 0 and body != link["parent"] and not np.any(block["pa"]):
            found[k] = (cut, int(link["parent"]), body, free | idle_directions(links, block))
    return found
