"""Which elements and attributes of a URDF are read, which are left out without harm, and what is said about all others.

The tables hold URDF 1.0 (ROS wiki urdf/XML), 1.1 (quat_xyzw, capsule) and 1.2 as the reference parser urdfdom 6 reads them.
Anything in neither table is unknown to the standard; it may mean anything, so leaving it out matters.
"""

from .urdf_report import shown, tag_of
from .xml_safely import clipped

# tag: (attributes, children) that the reader uses.
_READ = {
    "robot": ("name version", "link joint"),
    "link": ("name", "inertial visual collision"),
    "inertial": ("", "origin mass inertia"),
    "origin": ("xyz rpy quat_xyzw", ""),
    "mass": ("value", ""),
    "inertia": ("ixx ixy ixz iyy iyz izz", ""),
    "visual": ("", "origin geometry"),
    "collision": ("", "origin geometry"),
    "geometry": ("", "box sphere cylinder capsule mesh"),
    "box": ("size", ""),
    "sphere": ("radius", ""),
    "cylinder": ("radius length", ""),
    "capsule": ("radius length", ""),
    "mesh": ("filename scale", ""),
    "joint": ("name type", "origin parent child axis limit dynamics mimic"),
    "parent": ("link", ""),
    "child": ("link", ""),
    "axis": ("xyz", ""),
    "limit": ("lower upper effort velocity", ""),
    "dynamics": ("damping friction", ""),
    "mimic": ("joint multiplier offset", ""),
}
READ = {tag: (frozenset(attributes.split()), frozenset(children.split())) for tag, (attributes, children) in _READ.items()}

# (parent tag, tag): what it is for. Leaving these out changes no motion.
HARMLESS_ELEMENTS = {
    ("robot", "material"): "a colour",
    ("robot", "sensor"): "a sensor",
    ("robot", "ros2_control"): "wiring of a controller",
    ("joint", "calibration"): "calibration of an encoder",
    ("joint", "safety_controller"): "limits that a controller keeps",
    ("joint", "hardwareInterface"): "wiring of a controller",
    ("link", "self_filter"): "filtering of a point cloud",
    ("visual", "material"): "a colour",
    ("collision", "material"): "a colour",
    ("collision", "verbose"): "a remark",
}
HARMLESS_ATTRIBUTES = {("joint", "dont_collapse"), ("link", "type"), ("visual", "name"), ("collision", "name"), ("geometry", "name")}
HARMLESS_IN_GAZEBO = {
    *("material", "visual", "sensor", "laserRetro", "provideFeedback", "implicitSpringDamper"),
    *("preserveFixedJoint", "disableFixedJointLumping", "canonicalBody"),
}
# Old PR2 transmissions couple joints to each other; the ordinary ones only name the motor of a joint.
COUPLING_IN_TRANSMISSION = {"passive_joint", "gap_joint", "flexJoint", "rollJoint", "compensator", "use_simulated_gripper_joint"}


def note_strangers(report, element):
    """Note every attribute, child and text of an element that the reader does not use."""
    attributes, children = READ[element.tag]
    for name, value in element.items():
        if name not in attributes:
            foreign = name.startswith("{")
            known = foreign or (element.tag, name) in HARMLESS_ATTRIBUTES
            unknown = "" if known else "; it is not in the URDF standard"
            report.note(element, f"attribute {clipped(name.rpartition('}')[2])} = {shown(value)} ignored{unknown}", matters=not known)
    _note_text(report, element, element.text)
    for child in element:
        _note_text(report, child, child.tail)
        if child.tag not in children:
            _note_child(report, element.tag, child)


def only(report, element, tag):
    """The one child of this tag, or None. Of several the first is used, as by the reference parser."""
    found = element.findall(tag)
    for extra in found[1:]:
        report.note(extra, f"ignored: a second <{tag}>; the one in line {found[0].sourceline} is used", matters=True)
    if found:
        note_strangers(report, found[0])
        return found[0]
    return None


def _note_text(report, element, text):
    if text and text.strip():
        report.note(element, f"text {shown(text.strip())} ignored")


def _note_child(report, parent_tag, child):
    purpose = HARMLESS_ELEMENTS.get((parent_tag, child.tag))
    if purpose:
        report.note(child, f"ignored: {purpose}")
    elif child.tag == "gazebo":
        _note_gazebo(report, child)
    elif child.tag == "transmission":
        coupling = _local_tags(child) & COUPLING_IN_TRANSMISSION
        detail = f"; it couples joints by {', '.join(sorted(coupling))}" if coupling else ": the motors of joints"
        report.note(child, f"ignored{detail}", matters=bool(coupling))
    else:
        report.note(child, f"<{clipped(tag_of(child))}> ignored; it is not in the URDF standard", matters=True)


def _note_gazebo(report, element):
    tags = sorted(_local_tags(element))
    serious = [tag for tag in tags if tag not in HARMLESS_IN_GAZEBO]
    of = f" of {shown(element.get('reference'))}" if element.get("reference") else ""
    listed = clipped(", ".join(serious or tags), 120)
    friction = _friction_text(element)
    report.note(element, f"settings for Gazebo{of} ignored{': ' if listed else ''}{listed}{friction}", matters=bool(serious))


def _friction_text(element):
    """How to have the friction that a block states for a link: a URDF says nothing of which links touch, so that it is not taken over by itself."""
    said = {child.tag.rpartition("}")[2]: child.text for child in element}
    try:
        both = {float(said[tag]) for tag in ("mu", "mu1", "mu2") if tag in said}
    except (TypeError, ValueError):
        return ""
    link = element.get("reference")
    if len(both) != 1 or not link or not 0.0 <= (mu := both.pop()) < 1e6:
        return ""
    return f"; its friction holds where it touches after m.change({shown(link)}, surface=lw.Surface({mu:g}))"


def _local_tags(element):
    return {child.tag.rpartition("}")[2] for child in element}
