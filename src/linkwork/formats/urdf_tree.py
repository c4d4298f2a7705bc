"""The links and joints of a URDF as a tree: every link has at most one parent, exactly one has none.

Unlike a Mechanism, whose joints form an undirected graph, a URDF is a tree by definition; a file that is not has lost a part
or gained one, so it is refused, naming the links and joints concerned.
"""

import difflib

from .urdf_joint import AXIAL
from .urdf_report import SHOWN, shown


def check_names(report, parts, what):
    """A dict name -> part, first of each name; a second part of the same kind and name is a fault."""
    known = {}
    for part in parts:
        if part.name is None:
            continue  # a fault already
        if part.name in known:
            first = known[part.name].element.sourceline
            report.fault(part.element, f"a second {what} called {shown(part.name)}; the first is in line {first}. Rename one of them")
        else:
            known[part.name] = part
    return known


def check_mimics(report, joints, mimics):
    """Drop the mimic of a joint that does not exist or has no single coordinate. That is no fault: published robots have such. `mimics`: do they act?"""
    lost = 0
    for joint in joints.values():
        leader = joint.mimic[0] if joint.mimic else None
        if leader is None:
            joint.mimic = None
        elif leader not in joints:
            joint.mimic = None
            lost += 1
            near = _near(leader, joints) if lost <= SHOWN else ""
            report.note(joint.element, f"mimic not kept: joint {shown(leader)} does not exist{near}", matters=True)
        elif joints[leader].type not in AXIAL:
            joint.mimic = None
            report.note(
                joint.element, f"mimic not kept: joint {shown(leader)} ({joints[leader].type}) has no single coordinate", matters=True
            )
        elif not mimics:
            report.note(joint.element, f"mimic left out, as asked: the joint moves freely of {shown(leader)}", matters=True)


def find_root(report, links, joints):
    """The name of the root link, or None after a fault. links, joints: dicts by name."""
    parent_joint = {}
    for joint in joints.values():
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name is not None and name not in links:
                near = _near(name, links) if report.fault_count < SHOWN else ""
                report.fault(joint.element, f"{end} link {shown(name)} does not exist{near}")
        if joint.child is None or joint.child not in links:
            continue
        if joint.child == joint.parent:
            report.fault(joint.element, f"link {shown(joint.child)} is its own parent")
        elif joint.child in parent_joint:
            other = parent_joint[joint.child].name
            report.fault(joint.element, f"link {shown(joint.child)} has a parent already, by joint {shown(other)}; a URDF is a tree")
        else:
            parent_joint[joint.child] = joint
    if report.faults:
        return None  # what follows would only repeat them in other words
    _refuse_cycles(report, links, parent_joint)
    roots = [name for name in links if name not in parent_joint]
    for name in roots[1:]:
        report.fault(links[name].element, f"a second root: neither this link nor {shown(roots[0])} is the child of a joint; connect them")
    return roots[0] if roots else None


def _refuse_cycles(report, links, parent_joint):
    """Walk from every link towards the root, each link once; meeting the own path again is a cycle."""
    settled = set()
    for start in links:
        path, here = [], start
        on_path = set()
        while here not in settled and here not in on_path and here in parent_joint:
            path.append(here)
            on_path.add(here)
            here = parent_joint[here].parent
        if here in on_path:
            cycle = [parent_joint[name] for name in path[path.index(here) :]]
            names = ", ".join(shown(joint.name) for joint in cycle[:8]) + (", ..." if len(cycle) > 8 else "")
            report.fault(cycle[0].element, f"joints {names} form a cycle; a URDF is a tree")
        settled.update(on_path, (here,))


def _near(name, known):
    """Near matches in words. The search compares letter by letter: it takes minutes on thousands of long names, so these go without."""
    if len(known) > 300 or len(name) > 40:
        return ""
    near = difflib.get_close_matches(name, [k for k in known if len(k) <= 40], n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(shown(n) for n in near)}?" if near else ""
