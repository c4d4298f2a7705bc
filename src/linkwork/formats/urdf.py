"""URDF, the Unified Robot Description Format of ROS, versions 1.0 to 1.2, read into a Mechanism.

    link      a body of the same name; the body frame is the link frame
    joint     a joint of the same name from a place on the parent link (its origin) to the frame of the child link
    root      the link without a parent is welded to the ground or floats, by a joint called "root"
    visual, collision   shapes of the body (`visuals`, `collisions`), meshes as references to their files
    mimic     a Gear constraint "<joint> mimic" from the leading joint; left out, and noted, if so asked

What is read and what is left out stands in urdf_schema, the rule for names in urdf_names, the rule of strict reading in urdf_report.
The standard: ROS wiki, urdf/XML; its reference parser is urdfdom.
"""

from .urdf_assembly import Options, Robot, assemble
from .urdf_joint import read_joint
from .urdf_link import read_link
from .urdf_names import name_parts
from .urdf_report import Notes, Report, shown, tag_of
from .urdf_schema import note_strangers
from .urdf_tree import check_mimics, check_names, find_root
from .xml_safely import clipped

VERSIONS = {"1": (1, 0), "1.0": (1, 0), "1.1": (1, 1), "1.2": (1, 2)}
OTHER_FORMATS = {"sdf": "an SDF file", "mujoco": "a MuJoCo file (MJCF)", "COLLADA": "a COLLADA mesh"}


def mechanism_from_urdf(document, path, folder=None, root="fixed", strict=False, package_dirs=(), mimics=True):
    """A Mechanism from the root element of a URDF document.

    path: name of the file, for messages. folder: where relative names of meshes start, None for text without a place.
    root: "fixed" or "floating". The result has `notes`, a tuple of Note, those that matter first. `mimics`: do joints follow others?
    Raises FormatError with all faults found.
    """
    report = Report(path)
    _refuse_other_formats(report, document)
    version = _version(report, document)
    note_strangers(report, document)
    links = [read_link(report, element, version) for element in document.findall("link")]
    joints = [read_joint(report, element, version) for element in document.findall("joint")]
    if not links:
        report.fault(document, "there is no <link> in it; a robot has one at least (is this what xacro made of a file of macros?)")
    links, joints = check_names(report, links, "link"), check_names(report, joints, "joint")
    check_mimics(report, joints, mimics)
    root_link = find_root(report, links, joints)
    report.raise_faults()
    robot = Robot(document.get("name"), links, joints, *name_parts(report, links, joints), root_link)
    mechanism = assemble(report, robot, Options(root, folder, package_dirs, mimics))
    if strict:
        report.raise_notes_that_matter()
    mechanism.notes = Notes(sorted(report.notes, key=lambda note: (not note.matters, note.line or 0)))
    return mechanism


def _refuse_other_formats(report, document):
    """A file of another format, or with macros in it, is refused at once: any further message about it would mislead."""
    if document.tag != "robot":
        other = OTHER_FORMATS.get(document.tag)
        looks = f"; this looks like {other}" if other else ""
        report.fault(document, f"the root element is <{clipped(tag_of(document))}>; that of a URDF is <robot>{looks}")
        report.raise_faults()
    for element in document.iter():
        macro = element.tag.startswith("{") and "xacro" in element.tag.partition("}")[0]
        if macro or any("${" in value or "$(" in value for value in element.values()):
            report.fault(element, "this is xacro, not URDF; expand it first: xacro in.urdf.xacro > out.urdf")
            report.raise_faults()


def _version(report, document):
    version = document.get("version", "1.0").strip()
    if version not in VERSIONS:
        report.fault(document, f"version is {shown(version)}; versions 1.0, 1.1 and 1.2 are read")
    return VERSIONS.get(version, (1, 2))
