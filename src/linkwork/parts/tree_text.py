"""The structure of a mechanism as a tree of text. It works for mechanisms with faults too: those are what one looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from .graph import forest
from .registry import GROUND

if TYPE_CHECKING:
    from .mechanism import Mechanism

# Lines that are shown unless more are asked for.
MOST_LINES = 200


def tree_text(mechanism: Mechanism, limit: int | None = MOST_LINES) -> str:
    """A line per body, behind the joint that holds it, indented under the body it hangs on; then the joints that are no part of the tree.

    limit: the greatest number of lines of the tree; None for all (the text then grows as the square of the length of a chain).

    >>> import linkwork as lw
    >>> m = lw.Mechanism("crank")
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 0, 1)), m.ground, m.add_body("arm", mass=1.0, inertia=(1, 1, 1)))
    >>> print(lw.tree_text(m))
    mechanism 'crank': 1 body, 1 joint, 0 frames; gravity (0, 0, -9.81) m/s^2
    ground
    `-- pivot (Revolute) -> arm, 1 kg
    """
    with mechanism._registry.unchanged():
        graph = forest(mechanism)
        lines = [_title(mechanism), GROUND]
        lines += _tree(mechanism, graph.edges, limit)
        lines += _outside(mechanism, graph)
    lines += _acting("constraints", mechanism.constraints)
    lines += _acting("forces", mechanism.forces)
    return "\n".join(lines)


def _title(mechanism: Any) -> Any:
    counts: tuple[tuple[int, str, str], ...] = (
        (len(mechanism.bodies), "body", "bodies"),
        (len(mechanism.joints), "joint", "joints"),
        (len(mechanism.frames), "frame", "frames"),
    )
    if mechanism.constraints:
        counts += ((len(mechanism.constraints), "constraint", "constraints"),)
    if mechanism.forces:
        counts += ((len(mechanism.forces), "force", "forces"),)
    counted = ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in counts)
    x, y, z = mechanism.gravity
    return f"mechanism {mechanism.name!r}: {counted}; gravity ({x:g}, {y:g}, {z:g}) m/s^2"


def _tree(mechanism: Any, edges: Any, limit: Any) -> Any:
    twigs: dict[str | None, list[Any]] = {}  # body name -> what is drawn under it: frames, then edges
    for frame in mechanism.frames:
        twigs.setdefault(mechanism._registry.trace(frame.place)[0], []).append(frame)
    for edge in edges:
        twigs.setdefault(edge.parent_body_name, []).append(edge)
    twigs.pop(None, None)
    lines: list[str] = []
    total = sum(len(under) for under in twigs.values())
    waiting = _under(twigs, GROUND, "")
    while waiting:
        if limit is not None and len(lines) >= limit:
            lines.append(f"... and {total - len(lines)} more")
            break
        indent, is_last, twig = waiting.pop()
        lines.append(f"{indent}{'`-- ' if is_last else '|-- '}{_words(mechanism, twig)}")
        if isinstance(twig, tuple):
            waiting += _under(twigs, twig.child_body_name, indent + ("    " if is_last else "|   "))  # type: ignore[attr-defined]
    return lines


def _under(twigs: Any, name: str, indent: Any) -> Any:
    """What hangs on a body, last first."""
    found = twigs.get(name, ())
    return [(indent, k == len(found) - 1, found[k]) for k in reversed(range(len(found)))]


def _words(mechanism: Any, twig: Any) -> Any:
    if not isinstance(twig, tuple):
        return f"frame {twig.name}"
    joint, _, child, backwards, _ = twig
    kind = type(joint.kind).__name__ + (", automatic" if joint.automatic else "") + (", walked backwards" if backwards else "")
    return f"{joint.name} ({kind}) -> {child}, {_weight(mechanism._registry.holder(child))}"


def _weight(body: Any) -> Any:
    try:
        mass = body.mass
        if body.density is not None and body.shape is not None:
            mass = body.density * body.shape.solid().volume
    except ModelError:
        return "mass unknown"
    return f"{mass:.4g} kg" if mass else "massless"


def _acting(title: Any, parts: Any) -> Any:
    lines = []
    for part in parts[:MOST_LINES]:
        on = [place.name for place in (part.a, part.b) if place is not None] + [name for name, _ in part.joints]
        lines.append(f"  {part.name} ({type(part.kind).__name__}): {' - '.join(on)}")
    more = len(parts) - MOST_LINES
    return ([f"{title}:"] if lines else []) + lines + ([f"  ... and {more} more"] if more > 0 else [])


def _outside(mechanism: Any, graph: Any) -> Any:
    """The joints that are no part of the tree, and why."""
    drawn = {id(edge.joint) for edge in graph.edges}
    loops = {id(loop.joint) for loop in graph.loops}
    lines = []
    for joint in mechanism.joints:
        if id(joint) not in drawn:
            ends = [mechanism._registry.trace(place)[0] for place in (joint.parent, joint.child)]
            why = "closes a loop" if id(joint) in loops else "leads nowhere" if None in ends else "connects a body with itself"
            lines.append(f"  {joint.name} ({type(joint.kind).__name__}): {joint.parent.name} -> {joint.child.name}, {why}")
    lost = [
        f"  frame {frame.name} on {frame.place.name}" for frame in mechanism.frames if mechanism._registry.trace(frame.place)[0] is None
    ]
    found = (["outside the tree:"] if lines or lost else []) + lines + lost
    return found if len(found) <= MOST_LINES else [*found[:MOST_LINES], f"  ... and {len(found) - MOST_LINES} more"]
