"""Which kernel answers for which pair of kinds."""

from ..kernels import kernel
from .box import box_box
from .capsule import capsule_capsule
from .capsule_box import capsule_box
from .convex import collide_convex
from .floor import floor_box, floor_capsule, floor_cone, floor_cylinder, floor_ellipsoid, floor_hull, floor_sphere
from .height_field import collide_height_field
from .kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, FLOOR, HEIGHT_FIELD, HULL, SPHERE, TRIANGLES
from .manifold import clear, no_kernel, turn_normals
from .sphere import sphere_box, sphere_capsule, sphere_cylinder, sphere_sphere
from .triangles import collide_triangles


@kernel
def collide(a, b, Xa, Xb, reach, manifold) -> None:
    """All contact points of two shapes with gaps up to `reach`, to `manifold`.

    a, b: rows of SHAPE. Xa, Xb: world poses (R, p) of the shapes' own frames. reach: m. What links and bodies they belong to plays no role.
    """
    clear(manifold)
    if a.kind <= b.kind:
        _in_order(a, b, Xa, Xb, reach, manifold)
    else:
        _in_order(b, a, Xb, Xa, reach, manifold)
        turn_normals(manifold)


@kernel(inline=True)
def _in_order(a, b, Xa, Xb, reach, manifold):
    """The pair kernels, for a.kind <= b.kind."""
    if a.kind == FLOOR:
        _on_floor(a, b, Xa, Xb, reach, manifold)
    elif a.kind == SPHERE and b.kind == SPHERE:
        sphere_sphere(a, b, Xa, Xb, reach, manifold)
    elif a.kind == SPHERE and b.kind == CAPSULE:
        sphere_capsule(a, b, Xa, Xb, reach, manifold)
    elif a.kind == SPHERE and b.kind == BOX:
        sphere_box(a, b, Xa, Xb, reach, manifold)
    elif a.kind == SPHERE and b.kind == CYLINDER:
        sphere_cylinder(a, b, Xa, Xb, reach, manifold)
    elif a.kind == CAPSULE and b.kind == CAPSULE:
        capsule_capsule(a, b, Xa, Xb, reach, manifold)
    elif a.kind == CAPSULE and b.kind == BOX:
        capsule_box(a, b, Xa, Xb, reach, manifold)
    elif a.kind == BOX and b.kind == BOX:
        box_box(a, b, Xa, Xb, reach, manifold)
    else:
        _without_a_kernel(a, b, Xa, Xb, reach, manifold)


@kernel(inline=True)
def _on_floor(a, b, Xa, Xb, reach, manifold):
    """The pairs of a floor. Two floors never touch: both belong to what does not move."""
    if b.kind == SPHERE:
        floor_sphere(a, b, Xa, Xb, reach, manifold)
    elif b.kind == CAPSULE:
        floor_capsule(a, b, Xa, Xb, reach, manifold)
    elif b.kind == BOX:
        floor_box(a, b, Xa, Xb, reach, manifold)
    elif b.kind == CYLINDER:
        floor_cylinder(a, b, Xa, Xb, reach, manifold)
    elif b.kind == CONE:
        floor_cone(a, b, Xa, Xb, reach, manifold)
    elif b.kind == ELLIPSOID:
        floor_ellipsoid(a, b, Xa, Xb, reach, manifold)
    elif b.kind == HULL or b.kind == TRIANGLES:  # above a plane only vertices count
        floor_hull(a, b, Xa, Xb, reach, manifold)
    else:
        _without_a_kernel(a, b, Xa, Xb, reach, manifold)


@kernel
def _without_a_kernel(a, b, Xa, Xb, reach, manifold) -> None:
    """Pairs without a kernel of their own."""
    if a.kind == FLOOR or a.kind >= HEIGHT_FIELD:  # two things that do not move
        no_kernel(manifold)
    elif b.kind == HEIGHT_FIELD:
        collide_height_field(a, b, Xa, Xb, reach, manifold)
    elif b.kind == TRIANGLES:
        collide_triangles(a, b, Xa, Xb, reach, manifold)
    else:
        collide_convex(a, b, Xa, Xb, reach, manifold)
