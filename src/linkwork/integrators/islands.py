"""Which links of a model move on their own: islands, joined by joints, constraints and forces. The ground joins nothing."""

import numpy as np


def islands(model, forces=None):
    """The number of its island for every link, 0, 1, ... in the order of the links. (n,)

    Bodies belong together if a joint, a constraint, or a force between places holds them together; forces along joints act on each joint alone.
    """
    link_of = {"ground": -1, **{body.name: int(row["link"]) for body, row in zip(model.bodies, model.tables.bodies, strict=True)}}
    n = model.tables.n
    leader = list(range(n))

    def find(i):
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    def join(links):
        links = [find(i) for i in links if i >= 0]
        for i in links[1:]:
            leader[find(i)] = links[0]

    for i, parent in enumerate(model.tables.links["parent"]):
        join((int(parent), i))
    joints = {joint.name: joint for joint in model.joints}
    for constraint in model.constraints:
        moved = [link_of[body] for body, _ in constraint.places]
        moved += [link for name, _ in constraint.joints for link in joints[name].links]
        if constraint.is_loop:  # a cut body at its end is welded to the body itself
            joint = joints[constraint.name]
            moved += [*joint.links, link_of[joint.parent], link_of[joint.child]]
        join(moved)
    for force in model.forces if forces is None else forces:
        join([link_of[body] for body, _ in force.places])
    roots = [find(i) for i in range(n)]
    numbers = {root: k for k, root in enumerate(dict.fromkeys(roots))}
    return np.array([numbers[root] for root in roots], dtype=np.int64)
