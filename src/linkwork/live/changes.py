"""What is different between two mechanisms: the bodies whose motion an edit can touch."""

from ..parts.registry import GROUND


def touched_bodies(old, new, renamed):
    """Names (in `new`) of all bodies that hang together, by joints or constraints, with anything that was added, changed or removed.

    renamed: {new name: old name} of parts that are called otherwise. A body outside of these keeps its state bit by bit.
    """
    groups = _Groups()
    changed = set()
    before = {} if old is None else {part.name: part for part in old._registry.everything()}
    after = {part.name: part for part in new._registry.everything()}
    for name, part in after.items():
        places = _bodies_of(new, part)
        groups.join(places)
        if not _same(before.get(renamed.get(name, name)), part, renamed):
            changed.update(places)
    old_names = {renamed.get(name, name) for name in after}
    called = {old_name: name for name, old_name in renamed.items()}
    for name, part in before.items():
        if name not in old_names:
            changed.update(called.get(body, body) for body in _bodies_of(old, part))
    hit = {groups.find(name) for name in changed if name != GROUND}
    return {body.name for body in new.bodies if groups.find(body.name) in hit}


def _bodies_of(mechanism, part):
    """Names of the bodies that a part is, or joins. Forces join nothing: they act, but hold no body in place."""
    registry = mechanism._registry
    if part.role == "body":
        return [part.name]
    if part.role == "joint":
        places = [part.parent, part.child]
    elif part.role == "constraint":
        if part.joints:
            return [body for joint, _ in part.joints for body in _bodies_of(mechanism, mechanism.joint(joint))]
        places = [part.a, part.b]
    else:
        return []
    return [body for body in (registry.trace(place)[0] for place in places) if body is not None]


def _same(old, new, renamed):
    if old is None or type(old) is not type(new):
        return False
    ours, theirs = dict(new.content()), dict(old.content())
    for content in (ours, theirs):
        content.pop("name")
        for look in ("visuals", "collisions", "surface") if new.role == "body" else ():
            content.pop(look)
    for field, value in ours.items():
        if hasattr(value, "part"):
            ours[field] = type(value)(renamed.get(value.part, value.part), value.pose)
        elif field == "joints":
            ours[field] = tuple((renamed.get(joint, joint), dof) for joint, dof in value)
    return ours == theirs


class _Groups:
    """Which bodies hang together. Ground is no bond: two mechanisms on the same ground are two."""

    def __init__(self):
        self._above = {}

    def find(self, name):
        while (above := self._above.get(name, name)) != name:
            self._above[name] = self._above.get(above, above)
            name = above
        return name

    def join(self, names):
        names = [name for name in names if name != GROUND]
        for name in names[1:]:
            a, b = self.find(names[0]), self.find(name)
            if a != b:
                self._above[b] = a
