"""COLLADA (.dae) as triangles: the geometries that the scene places, in metres.

Read are geometries of triangles, strips, fans, polygons and lists of polygons, placed by the nodes of the scene (matrix, translate, rotate, scale,
instances of geometries and nodes). The unit of the file is applied. Its up axis is not: robots state the pose of a mesh as their tools show it, and these
(RViz, Coal) leave the axes as they are. Materials, animations and skins are passed over.

Specification: COLLADA 1.4.1, Khronos Group 2008.
"""

import math
import re

import numpy as np

MOST_BYTES = 64_000_000
MOST_INSTANCES = 10_000  # nodes and geometries that a scene places: instances of instances multiply
MOST_TRIANGLES = 2_000_000
DEEPEST = 64
_TRANSFORMS = ("matrix", "translate", "rotate", "scale", "lookat", "skew")


def collada(data):
    """(vertices, faces) of a file. Raises ValueError."""
    root = _parse(data)
    ids = {element.get("id"): element for element in root.iter() if element.get("id")}
    return _Scene(root, ids).triangles()


def _parse(data):
    from lxml import etree

    if len(data) > MOST_BYTES:
        raise ValueError(f"a COLLADA file larger than {MOST_BYTES // 1_000_000} MB; save the mesh as STL")
    if re.search(rb"<!\s*(DOCTYPE|ENTITY)", data[:4096], re.IGNORECASE):
        raise ValueError("it declares a document type, which is not read; delete that line")
    parser = etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        dtd_validation=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        if "limit" in str(error):
            raise ValueError("a list in it is longer than 10 MB, or elements are nested too deep; save the mesh as STL") from None
        raise ValueError(f"it is no XML that can be read: {error}") from None
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = element.tag.rpartition("}")[2]
    if root.tag != "COLLADA":
        raise ValueError(f"its root element is <{root.tag[:60]}>; that of a COLLADA file is <COLLADA>")
    return root


class _Scene:
    """The triangles that a scene places."""

    def __init__(self, root, ids):
        self.root, self.ids = root, ids
        self.vertices, self.faces, self.count, self.placed, self.ntriangles = [], [], 0, 0, 0
        self._read = {}

    def triangles(self):
        unit = self.root.find("asset/unit")
        meter = _number(unit.get("meter", "1")) if unit is not None else 1.0
        scene = self.root.find("scene/instance_visual_scene")
        if scene is not None:
            self._node(self._target(scene), np.diag([meter, meter, meter, 1.0]), 0)
        else:
            for geometry in self.root.iterfind("library_geometries/geometry"):
                self._place(geometry, np.diag([meter, meter, meter, 1.0]))
        if not self.faces:
            raise ValueError("no triangles are placed in its scene")
        return np.concatenate(self.vertices), np.concatenate(self.faces)

    def _target(self, element):
        """What an instance or an input refers to."""
        url = element.get("url") or element.get("source") or ""
        found = self.ids.get(url[1:]) if url.startswith("#") else None
        if found is None:
            raise ValueError(f"<{element.tag}> refers to {url[:60]!r}, which is not in the file")
        return found

    def _node(self, node, X, depth):
        self.placed += 1
        if depth > DEEPEST or self.placed > MOST_INSTANCES:
            raise ValueError(f"nodes deeper than {DEEPEST}, or more than {MOST_INSTANCES} of them with all instances; save the mesh as STL")
        for child in node:
            if child.tag in _TRANSFORMS:
                X = X @ _transform(child)
        for child in node:
            if child.tag == "node":
                self._node(child, X, depth + 1)
            elif child.tag == "instance_node":
                self._node(self._target(child), X, depth + 1)
            elif child.tag == "instance_geometry":
                self._place(self._target(child), X)

    def _place(self, geometry, X):
        self.placed += 1
        if id(geometry) not in self._read:
            self._read[id(geometry)] = self._geometry(geometry)
        points, faces = self._read[id(geometry)]
        self.ntriangles += len(faces)
        if self.placed > MOST_INSTANCES or self.ntriangles > MOST_TRIANGLES:
            raise ValueError(f"more than {MOST_TRIANGLES} triangles or {MOST_INSTANCES} instances; make the mesh coarser")
        if np.linalg.det(X[:3, :3]) < 0.0:  # a mirror turns faces round
            faces = faces[:, ::-1]
        self.vertices.append(points @ X[:3, :3].T + X[:3, 3])
        self.faces.append(faces + self.count)
        self.count += len(points)

    def _geometry(self, geometry):
        """(points, faces) of a geometry in its own axes."""
        mesh = geometry.find("mesh")
        points, faces, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], 0
        for primitive in mesh if mesh is not None else ():
            if primitive.tag not in _CORNERS:
                continue
            inputs = primitive.findall("input")
            vertex = next((item for item in inputs if item.get("semantic") == "VERTEX"), None)
            if vertex is None:
                raise ValueError(f"<{primitive.tag}> has no input of vertices")
            stride = 1 + max(_whole(item.get("offset", "0")) for item in inputs)
            offset = _whole(vertex.get("offset", "0"))
            own = self._positions(self._target(vertex))
            triangles = _CORNERS[primitive.tag](primitive, lambda p, s=stride, o=offset: _indices(p)[o::s])
            if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(own):
                raise ValueError(f"a face of <{primitive.tag}> names a vertex that is not there")
            points.append(own)
            faces.append(triangles + count)
            count += len(own)
        return np.concatenate(points), np.concatenate(faces)

    def _positions(self, vertices):
        source = next((item for item in vertices.findall("input") if item.get("semantic") == "POSITION"), None)
        if source is None:
            raise ValueError("its vertices have no positions")
        source = self._target(source)
        array = source.find("float_array")
        if array is None:
            raise ValueError("positions of vertices without a <float_array>")
        accessor = source.find("technique_common/accessor")
        stride = _whole(accessor.get("stride", "3")) if accessor is not None else 3
        offset = _whole(accessor.get("offset", "0")) if accessor is not None else 0
        numbers = _numbers(array)[offset:]
        if stride < 3:
            raise ValueError(f"positions of vertices with {stride} numbers each; allowed are 3")
        return numbers[: len(numbers) // stride * stride].reshape(-1, stride)[:, :3].copy()


# ---- numbers and transforms


def _number(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text!r} is not a finite number")
    return value


def _whole(text):
    value = int(text)
    if not 0 <= value < 1_000_000:
        raise ValueError(f"{text[:40]!r} is no offset")
    return value


def _numbers(element):
    return np.array((element.text or "").split(), dtype=float)


def _indices(element):
    return np.array((element.text or "").split(), dtype=np.int64)


def _transform(element):
    """The matrix (4, 4) of an element of a node."""
    x, X = _numbers(element), np.eye(4)
    sizes = {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}
    if element.tag not in sizes:
        raise ValueError(f"<{element.tag}> is not read; save the mesh as STL")
    if len(x) != sizes[element.tag] or not np.isfinite(x).all():
        raise ValueError(f"<{element.tag}> has {len(x)} numbers; allowed are {sizes[element.tag]} finite ones")
    if element.tag == "matrix":
        return x.reshape(4, 4)
    if element.tag == "translate":
        X[:3, 3] = x
    elif element.tag == "scale":
        X[:3, :3] = np.diag(x)
    elif x[:3].any():
        X[:3, :3] = _turned(x[:3] / np.linalg.norm(x[:3]), math.radians(x[3]))
    return X


def _turned(a, angle):
    K = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K


# ---- primitives as triangles: of each <p> the vertex indices


def _fan(corners):
    return [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]


def _as_array(triangles):
    return np.array(triangles, dtype=np.int64).reshape(-1, 3)


def _triangles(primitive, corners_of):
    found = [corners_of(p) for p in primitive.findall("p")]
    flat = np.concatenate([np.zeros(0, dtype=np.int64), *found])
    return flat[: len(flat) // 3 * 3].reshape(-1, 3)


def _polygons(primitive, corners_of):
    return _as_array([t for p in primitive.iterfind("p") for t in _fan(corners_of(p).tolist())])


def _strips(primitive, corners_of):
    return _as_array(
        [
            (c[k], c[k + 1], c[k + 2]) if k % 2 == 0 else (c[k + 1], c[k], c[k + 2])
            for c in (corners_of(p).tolist() for p in primitive.iterfind("p"))
            for k in range(len(c) - 2)
        ]
    )


def _polylist(primitive, corners_of):
    p, counts = primitive.find("p"), primitive.find("vcount")
    if p is None or counts is None:
        return _as_array([])
    corners, made, at = corners_of(p).tolist(), [], 0
    for count in _indices(counts).tolist():
        if not 0 <= count <= len(corners) - at:
            raise ValueError("<vcount> counts more corners than there are")
        made += _fan(corners[at : at + count])
        at += count
    return _as_array(made)


_CORNERS = {
    "triangles": _triangles,
    "polylist": _polylist,
    "polygons": _polygons,
    "trifans": _polygons,
    "tristrips": _strips,
}
