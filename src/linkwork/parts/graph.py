"""Bodies and joints as a graph: the spanning forest that a model is built on, and the joints that close loops.

The graph is undirected: a joint may be walked from its child to its parent. The tree is one of shortest paths from ground (or
from the root of a floating assembly), which keeps loops short: each is cut about half way round. A joint with `prefer_cut` is used
only where nothing else holds a body. Among equals, the joint added first is in the tree, so the one added last is cut.
Nothing here recurses: a chain may have any length.

A joint that is cut stays a joint with coordinates: it becomes a leaf of the tree that carries a *cut body* of its far body, and build()
welds the cut body to the body. See `Forest.with_cut_bodies`.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ModelError
from .joint import Joint
from .joints import Free
from .place import IDENTITY, Place
from .registry import GROUND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .body import Body
    from .mechanism import Mechanism


class TreeEdge(NamedTuple):
    """A joint of the tree. `reversed`: the tree walks it from its child side to its parent side. `closes_loop`: it closes a loop, and carries a cut body.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("arm", mass=1.0))
    >>> [edge] = lw.spanning_forest(m)
    >>> edge.parent_body_name, edge.child_body_name, edge.reversed
    ('ground', 'arm', False)
    """

    joint: Joint
    parent_body_name: str
    child_body_name: str
    reversed: bool
    closes_loop: bool = False


class Connection(NamedTuple):
    """A joint and the bodies it was given for, by name."""

    joint: Joint
    parent: str
    child: str


@dataclass(frozen=True)
class Forest:
    """The graph of a mechanism: tree edges depth first, and the connections that are no part of the tree because they close a loop."""

    edges: list[TreeEdge]
    loops: list[Connection]

    def cycles(self) -> Iterator[tuple[Connection, list[Joint]]]:
        """For every loop connection: the connection, and all joints of the cycle it closes, in the order one walks it."""
        inward = {edge.child_body_name: edge for edge in self.edges}
        depth = {GROUND: 0}
        for edge in self.edges:
            depth[edge.child_body_name] = depth[edge.parent_body_name] + 1
        for loop in self.loops:
            near, far, a, b = [], [], loop.parent, loop.child
            while a != b:
                if depth[a] >= depth[b]:
                    near.append(inward[a].joint)
                    a = inward[a].parent_body_name
                else:
                    far.append(inward[b].joint)
                    b = inward[b].parent_body_name
            yield loop, [*near[::-1], loop.joint, *far]

    def with_cut_bodies(self, weak: Any = ()) -> list[TreeEdge]:
        """The tree edges depth first, with one more leaf for every loop: its joint, which carries a cut body of the body on its far side.

        The far side is the child's, unless that is ground or `weak` (names of bodies without proper inertia, which cannot be divided).
        """
        if not self.loops:
            return self.edges
        neighbours: dict[str, list[TreeEdge]] = {}
        for edge in self.edges:
            neighbours.setdefault(edge.parent_body_name, []).append(edge)
        for joint, parent, child in self.loops:
            backwards = child == GROUND or (child in weak and parent != GROUND and parent not in weak)
            near, far = (child, parent) if backwards else (parent, child)
            neighbours.setdefault(near, []).append(TreeEdge(joint, near, far, backwards, closes_loop=True))
        return _depth_first(neighbours)


def connections(mechanism: Mechanism) -> list[Connection]:
    """All joints whose two places stand on known bodies, two different ones."""
    found, trace = [], mechanism._registry.trace
    for joint in mechanism._registry.joints:
        parent, child = trace(joint.parent)[0], trace(joint.child)[0]
        if parent is not None and child is not None and parent != child:
            found.append(Connection(joint, parent, child))
    return found


def spanning_forest(mechanism: Mechanism) -> list[TreeEdge]:
    """The tree edges depth first: parents before children, children in the order in which their joints were added.

    What hangs on ground comes first. Then every floating assembly, in the order of its first body: it hangs on ground by an
    automatic Free joint called "<body>.free", in front of its root: the body chosen by Mechanism.reroot, or else the
    first-added body that is nobody's child. Joints that close loops are left out, as are those that lead nowhere.

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("arm", mass=1.0, inertia=(1, 1, 1)))
    >>> [(edge.joint.name, edge.child_body_name) for edge in lw.spanning_forest(m)]
    [('pivot', 'arm')]
    """
    return forest(mechanism).edges


def forest(mechanism: Mechanism, prefer_cut: Any = ()) -> Forest:
    """The spanning forest together with the joints that close loops. `prefer_cut`: names of joints to be cut rather than others."""
    joined = connections(mechanism)
    assemblies = _Assemblies([GROUND, *(body.name for body in mechanism.bodies)])
    closes = [not assemblies.join(parent, child) for _, parent, child in joined]
    roots = floating_roots(mechanism, assemblies, joined)
    in_tree = _shortest_paths([GROUND, *roots], joined, prefer_cut) if any(closes) else [True] * len(joined)
    neighbours: dict[str, list[TreeEdge]] = {name: [] for name in assemblies.leader}
    loops = []
    for connection, kept in zip(joined, in_tree, strict=True):
        joint, parent, child = connection
        if kept:
            neighbours[parent].append(TreeEdge(joint, parent, child, False))
            neighbours[child].append(TreeEdge(joint, child, parent, True))
        else:
            loops.append(connection)
    for root in roots:
        free = Joint(f"{root}.free", Free(), Place(GROUND, IDENTITY), Place(root, IDENTITY), mechanism, automatic=True)
        neighbours[GROUND].append(TreeEdge(free, GROUND, root, False))
    return Forest(_depth_first(neighbours), loops)


def _shortest_paths(roots: list[str], joined: list[Connection], prefer_cut: Any) -> list[bool]:
    """Which connections belong to the tree of shortest paths from the roots (Dijkstra 1959); those to be cut count as very long."""
    last = len(joined) + 1
    lengths = [last if joint.prefer_cut or joint.name in prefer_cut else 1 for joint, _, _ in joined]
    ways: dict[str, list[tuple[int, str]]] = {}
    for k, (_, parent, child) in enumerate(joined):
        ways.setdefault(parent, []).append((k, child))
        ways.setdefault(child, []).append((k, parent))
    in_tree, reached = [False] * len(joined), set()
    waiting = [(0, -1, k, root) for k, root in enumerate(roots)]
    while waiting:
        distance, by, _, name = heapq.heappop(waiting)
        if name in reached:
            continue
        reached.add(name)
        if by >= 0:
            in_tree[by] = True
        for k, other in ways.get(name, ()):
            if other not in reached:
                heapq.heappush(waiting, (distance + lengths[k], k, 0, other))
    return in_tree


def floating_roots(mechanism: Mechanism, assemblies: _Assemblies, joined: list[Connection]) -> list[str]:
    """The root body of every assembly that is not connected to ground, in the order of the assemblies' first bodies."""
    children = {child for _, _, child in joined}
    chosen = {assemblies.find(name): name for name in mechanism._roots if name in assemblies.leader}
    first: dict[Any, Any] = {}
    orphan: dict[Any, Any] = {}
    for body in mechanism.bodies:
        leader = assemblies.find(body.name)
        first.setdefault(leader, []).append(body)
        if body.name not in children:
            orphan.setdefault(leader, body.name)
    grounded = assemblies.find(GROUND)
    return [chosen.get(leader) or orphan.get(leader) or _heaviest(them) for leader, them in first.items() if leader != grounded]


def _heaviest(bodies: list[Body]) -> str:
    """Name of the heaviest body: the best base of an assembly in which every body is somebody's child."""
    masses = []
    for body in bodies:
        try:
            masses.append(body.mass_properties().mass)
        except ModelError:
            masses.append(0.0)
    return bodies[max(range(len(bodies)), key=masses.__getitem__)].name


def assembly_of(mechanism: Mechanism, name: str) -> list[str]:
    """Names of all bodies (and ground) connected with a body, itself included."""
    assemblies = _Assemblies([GROUND, *(body.name for body in mechanism.bodies)])
    for _, parent, child in connections(mechanism):
        assemblies.join(parent, child)
    leader = assemblies.find(name)
    return [other for other in assemblies.leader if assemblies.find(other) == leader]


def outboard_of(mechanism: Any, name: str) -> list[str]:
    """Names of a body and of all bodies that hang on it in the spanning forest."""
    found = {name: None}
    for edge in spanning_forest(mechanism):
        if edge.parent_body_name in found:
            found[edge.child_body_name] = None
    return list(found)


def _depth_first(neighbours: dict[str, Any]) -> list[TreeEdge]:
    edges, waiting = [], neighbours.get(GROUND, [])[::-1]
    while waiting:
        edge = waiting.pop()
        edges.append(edge)
        if not edge.closes_loop:
            waiting.extend(next_ for next_ in reversed(neighbours.get(edge.child_body_name, ())) if next_.joint is not edge.joint)
    return edges


class _Assemblies:
    """Which bodies are connected: union-find with path halving and union by size (Tarjan 1975)."""

    def __init__(self, names: list[str]) -> None:
        self.leader = {name: name for name in names}
        self.size = dict.fromkeys(self.leader, 1)

    def find(self, name: str) -> str:
        leader = self.leader
        while leader[name] != name:
            leader[name] = name = leader[leader[name]]
        return name

    def join(self, a: str, b: str) -> bool:
        """Connect two; False if they were connected already."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.leader[b] = a
        self.size[a] += self.size[b]
        return True
