"""Links and joints of a URDF, read and found sound, put together as a Mechanism."""

from typing import Any, NamedTuple

from ..errors import FormatError, LinkworkError
from ..parts import Box, Capsule, Cylinder, Free, Gear, Mechanism, MeshFile, Place, Planar, Prismatic, Revolute, Sphere, Weld
from .mesh_names import PACKAGE, mesh_path
from .urdf_names import root_joint_name

SOLIDS = {"box": Box, "sphere": Sphere, "cylinder": Cylinder, "capsule": Capsule}
WORLD = "world"


class Robot(NamedTuple):
    """What a URDF says. links, joints: by name in the file; bodies, hinges: names in the mechanism by these names; root: the link without parent."""

    name: str | None
    links: dict
    joints: dict
    bodies: dict
    hinges: dict
    root: str


class Options(NamedTuple):
    """How it is read. root: "fixed" or "floating". folder, package_dirs: where meshes are looked for. mimics: do joints follow others?"""

    root: str = "fixed"
    folder: Any = None
    package_dirs: Any = ()
    mimics: bool = True


def assemble(report, robot, options):
    """The Mechanism."""
    bodies, hinges, root = robot.bodies, robot.hinges, robot.links[robot.root]
    try:
        mechanism = Mechanism(_robot_name(report, robot.name, root))
        for link in robot.links.values():
            visuals, collisions = ([_shape(report, shape, options) for shape in shapes] for shapes in (link.visuals, link.collisions))
            for shape in link.collisions:
                if shape.kind == "mesh":
                    report.note(shape.element, "where it touches others its convex hull does; MeshFile(..., touching=...) has other ways")
            unreal = link.inertia is not None and bool(link.inertia.faults(strict=False))
            mechanism.add_body(bodies[link.name], inertia=link.inertia, visuals=visuals, collisions=collisions, unphysical=unreal)
        kind = _root_kind(report, root, options.root)
        mechanism.add_joint(root_joint_name(bodies, hinges), kind, mechanism.ground, bodies[robot.root])
        for joint in robot.joints.values():
            parent = Place(bodies[joint.parent], joint.origin)
            mechanism.add_joint(hinges[joint.name], _kind(report, joint), parent, bodies[joint.child])
        for joint in robot.joints.values() if options.mimics else ():
            if joint.mimic:
                leader, multiplier, offset = joint.mimic
                mechanism.add_constraint(
                    _free_name(mechanism, f"{hinges[joint.name]} mimic"), Gear(multiplier, offset), hinges[leader], hinges[joint.name]
                )
    except LinkworkError as error:
        raise FormatError(f"{report.path}: {error}", path=report.path) from error
    return mechanism


def _free_name(mechanism, name):
    while any(part.name == name for part in (*mechanism.bodies, *mechanism.joints, *mechanism.constraints)):
        name += "'"
    return name


def _robot_name(report, name, root_link):
    if name and name.strip():
        return name
    report.note(root_link.element.getparent(), "the robot has no name: called 'robot'")
    return "robot"


def _root_kind(report, link, root):
    if root == "fixed":
        return Weld()
    if link.name == WORLD:
        report.note(link.element, 'the root link floats as asked, though a link called "world" stands still by custom')
    return Free()


def _kind(report, joint):
    limits = joint.limits
    if joint.type == "fixed":
        return Weld()
    if joint.type == "floating":
        return Free()
    if joint.type == "planar":
        if joint.axis != (0.0, 0.0, 1.0):
            report.note(joint.element, "the standard does not say which way x points in the plane of a planar joint: see Planar")
        return Planar(normal=joint.axis)
    kind = Prismatic if joint.type == "prismatic" else Revolute
    return kind(
        axis=joint.axis,
        lower=limits.lower,
        upper=limits.upper,
        velocity_limit=limits.velocity,
        effort_limit=limits.effort,
        damping=joint.damping,
        friction=joint.friction,
    )


def _shape(report, shape, options):
    if shape.kind != "mesh":
        return SOLIDS[shape.kind](*shape.dimensions, at=shape.origin)
    path = mesh_path(shape.filename, options.folder, options.package_dirs)
    if options.package_dirs and path.startswith(PACKAGE):
        report.note(shape.element, "the mesh is in none of package_dirs: its name is kept as it is")
    return MeshFile(path, shape.dimensions, at=shape.origin)
