"""Names: a URDF keeps links and joints apart, a Mechanism has one name space with "ground" in it.

The rule, in this order:
1. A link keeps its name. Only a link called "ground" becomes "ground_link".
2. A joint keeps its name unless a link, or "ground", has it; then "_joint" is appended.
3. The joint that holds the root link is called "root", or "root_joint" if that is taken.
A suffix is appended again until the name is free. Every change is noted.
"""

from .urdf_report import shown

GROUND = "ground"


def name_parts(report, links, joints):
    """(body names, joint names): dicts from the name in the file to the name in the Mechanism. links, joints: dicts by name."""
    given = {GROUND, *links, *joints}
    bodies = {name: name for name in links}
    if GROUND in links:
        bodies[GROUND] = _free(GROUND, "_link", given)
        report.note(links[GROUND].element, f"renamed {shown(bodies[GROUND])}: a mechanism calls the fixed world 'ground'")
    taken = {GROUND, *links}
    hinges = {}
    for name, joint in joints.items():
        if name in taken:
            hinges[name] = _free(name, "_joint", given)
            other = "the fixed world" if name == GROUND else "a link"
            report.note(joint.element, f"renamed {shown(hinges[name])}: {other} has the same name")
        else:
            hinges[name] = name
    return bodies, hinges


def root_joint_name(bodies, hinges):
    taken = {GROUND, *bodies.values(), *hinges.values()}
    return "root" if "root" not in taken else _free("root", "_joint", taken)


def _free(name, suffix, taken):
    while name in taken:
        name += suffix
    taken.add(name)
    return name
