"""What the kernels of a pair of convex shapes keep while they work.

All coordinates are in the frame of the first shape, a. A shape is a core with a radius about it: a sphere is a point with a radius, a capsule a segment
with a radius; for all other shapes the radius is 0. The Minkowski difference is that of the cores, {b - a}.
"""

from ..kernels.records import Record, flag, integer, integers, numbers, part, records, rotation, scalar, vector3

MAX_VERTICES = 96  # of the polytope of the penetration algorithm: curved shapes take about 60 for 1e-4 of their size, polished afterwards
MAX_FACES = 2 * MAX_VERTICES  # a closed surface of V vertices has 2 V - 4 triangles
MAX_EDGES = 3 * MAX_VERTICES
MAX_CORNERS = 64  # of a face; those of faces with more are thinned out
RIM = 16  # corners of the polygon that stands for the rim of a cylinder or cone where it is clipped against
MAX_CLIPPED = 2 * MAX_CORNERS + 8


class Core(Record):
    """One of the two shapes."""

    kind = integer("its kind; TRIANGLE for one triangle of a surface", by="set_core")
    size = vector3("lengths by its kind", by="set_core")
    radius = scalar("radius about the core, m", by="set_core")
    extent = scalar("length of the shape, for tolerances, m", by="set_core")
    count = integer("number of vertices of a hull", by="set_core")
    nfaces = integer("number of faces of a hull", by="set_core")
    points = integer("address of the vertices of a hull, then of its planes", by="set_core")
    faces = integer("address of the faces of a hull", by="set_core")
    neighbours = integer("address of the neighbours of a hull's vertices", by="set_core")
    corners = numbers(9, "the three vertices of a triangle", by="set_triangle")
    R = rotation("its axes in the frame of a", by="set_core")
    p = vector3("its origin in the frame of a", by="set_core")


class Vertex(Record):
    """A vertex of a simplex or polytope in the Minkowski difference."""

    w = vector3("b - a", by="gjk, epa")
    a = vector3("support point of a", by="gjk, epa")
    b = vector3("support point of b", by="gjk, epa")
    share = scalar("barycentric coordinate of the point closest to the origin", by="closest_point")


class Face(Record):
    """A triangle of the polytope."""

    i = integer("first vertex", by="epa")
    j = integer("second vertex", by="epa")
    k = integer("third vertex", by="epa")
    n = vector3("outward unit normal", by="epa")
    d = scalar("distance of its plane from the origin, positive if the origin is inside", by="epa")
    flat = flag("is it so thin that it has no normal?", by="epa")


class Corner(Record):
    """A corner of a polygon."""

    p = vector3("where it is", by="face_polygon")
    code = integer("which corner, or which edges cross there", by="face_polygon")


class Polygon(Record):
    """The face of a shape that faces the other one: a polygon, a segment or a point of its core."""

    count = integer("number of corners: 1 is a point, 2 a segment", by="face_polygon")
    n = vector3("outward unit normal", by="choose_face")
    local = vector3("the same in the axes of the shape", by="choose_face")
    face = integer("which face, -1: there is none", by="choose_face")
    corners = records(Corner, MAX_CORNERS, "counter-clockwise as seen from outside")


class Candidate(Record):
    """A contact point, before some are chosen."""

    p = vector3("on the reference shape", by="_add_candidate")
    n = vector3("unit normal, from a to b", by="_add_candidate")
    gap = scalar("along n, m", by="_add_candidate")
    feature = integer("pair of features", by="_add_candidate")
    distance = scalar("square of the distance from those that are chosen", by="thin_out")
    taken = flag("is it chosen?", by="thin_out")


class ConvexData(Record):
    """Working memory of a pair of convex shapes."""

    a = part(Core, "first shape")
    b = part(Core, "second shape")
    length = scalar("of the pair, for tolerances, m", by="set_pair")
    first = vector3("from somewhere in a to somewhere in b: where searches begin", by="set_pair, set_triangle")
    middle = vector3("a point inside b, of a surface and a shape", by="box_around")
    patch = integer("which triangle of a surface, -1: no surface", by="set_pair, set_triangle")
    n = vector3("direction from a to b of greatest separation known", by="find_separation")
    s = scalar("separation of the cores along n: least n.(b - a), m", by="find_separation")
    face_of = integer("whose face's normal n is: 0 nobody's, 1 of a, 2 of b", by="find_separation")
    local = vector3("n in the axes of that shape, outward of it", by="find_separation")
    overlap = flag("do the cores overlap?", by="gjk")
    bound = scalar("no depth is less than that, m", by="epa")
    slack = scalar(
        "by how much the depth along another direction may be less, m: 0 but for deep overlaps of curved shapes", by="find_separation"
    )
    converged = flag("is n known to be the direction of greatest separation?", by="find_separation")
    witness_a = vector3("point of a's core that is closest to b, or deepest in it", by="gjk, epa")
    witness_b = vector3("point of b's core", by="gjk, epa")
    size = integer("number of vertices of the simplex", by="gjk")
    vertices = records(Vertex, MAX_VERTICES, "simplex, then polytope")
    nvertices = integer("number of vertices of the polytope", by="epa")
    faces = records(Face, MAX_FACES, "polytope")
    nfaces = integer("number of faces of the polytope", by="epa")
    edges = integers(2 * MAX_EDGES, "edges around a hole of the polytope, two vertices each", by="epa")
    polygon_a = part(Polygon, "face of a")
    polygon_b = part(Polygon, "face of b")
    clipped = records(Corner, MAX_CLIPPED, "polygon that is clipped")
    kept = records(Corner, MAX_CLIPPED, "polygon after a side has clipped it")
    candidates = records(Candidate, MAX_CLIPPED, "contact points, before some are chosen")
    ncandidates = integer("how many", by="_add_candidate")
    least_gap = scalar("least gap of the points found along n, also of those that were known, m", by="find_points, _add_candidate")
