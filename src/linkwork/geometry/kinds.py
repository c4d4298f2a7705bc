"""The kinds of shapes, in the order in which pairs of them are implemented: the first shape of a pair has the lower kind.

kind           size                                    in its own frame
FLOOR          (0, 0, 0)                               the half space z <= 0; outward normal z
SPHERE         (radius, 0, 0)                          about the origin
CAPSULE        (radius, half length, 0)                the points within the radius of the segment from -half length to half length on z
BOX            half edges (x, y, z)                    edges along the axes
CYLINDER       (radius, half length, 0)                axis z, from -half length to half length
CONE           (radius, half height, 0)                axis z, base at -half height, tip at half height
ELLIPSOID      semi-axes (x, y, z)                     along the axes
HULL           (0, 0, 0)                               the convex hull of `points`
HEIGHT_FIELD   see geometry/shape_table.py             heights over a grid in x and y
TRIANGLES      (0, 0, 0)                               a surface of triangles
"""

FLOOR, SPHERE, CAPSULE, BOX, CYLINDER, CONE, ELLIPSOID, HULL, HEIGHT_FIELD, TRIANGLES = range(10)

NAMES = ("floor", "sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "hull", "height field", "triangles")
