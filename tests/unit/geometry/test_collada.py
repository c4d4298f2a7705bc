"""COLLADA files: where the scene places their triangles, and files that mean harm."""

import numpy as np
import pytest

from linkwork.geometry import collada as module
from linkwork.geometry.collada import collada

POINTS = "0 0 0  1 0 0  1 1 0  0 1 0"


def geometry(primitive, points=POINTS, stride=3):
    count = len(points.split()) // stride
    return (
        f'<geometry id="g"><mesh><source id="s"><float_array id="a" count="{3 * count}">{points}</float_array>'
        f'<technique_common><accessor source="#a" count="{count}" stride="{stride}"/></technique_common></source>'
        f'<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>{primitive}</mesh></geometry>'
    )


TWO = (
    '<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#s" offset="1"/>'
    "<p>0 0 1 0 2 0 0 0 2 0 3 0</p></triangles>"
)
PLACED = '<node><instance_geometry url="#g"/></node>'


def document(nodes=PLACED, primitive=TWO, asset="", extra="", head=""):
    return (
        f'<?xml version="1.0"?>{head}<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>{asset}</asset>'
        f"<library_geometries>{geometry(primitive)}</library_geometries>{extra}"
        f'<library_visual_scenes><visual_scene id="scene">{nodes}</visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#scene"/></scene></COLLADA>'
    ).encode()


def corners(data):
    vertices, faces = collada(data)
    return vertices[faces]


def test_the_triangles_of_a_scene_in_metres():
    found = corners(document(asset='<unit name="cm" meter="0.01"/><up_axis>Y_UP</up_axis>'))
    assert found.tolist() == [[[0, 0, 0], [0.01, 0, 0], [0.01, 0.01, 0]], [[0, 0, 0], [0.01, 0.01, 0], [0, 0.01, 0]]]


@pytest.mark.parametrize(
    "primitive",
    [
        '<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>',
        '<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3</p></polygons>',
        '<trifans count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3</p></trifans>',
        '<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 2 3</p></triangles>',
    ],
)
def test_all_primitives_are_triangles(primitive):
    assert corners(document(primitive=primitive)).tolist() == corners(document()).tolist()


def test_strips_turn_every_second_triangle():
    strip = '<tristrips count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 3 2</p></tristrips>'
    normals = [np.cross(b - a, c - a)[2] for a, b, c in corners(document(primitive=strip))]
    assert normals == [1.0, 1.0]


def test_transforms_apply_from_outside_inward_and_mirrors_turn_faces():
    nodes = (
        "<node><translate>1 0 0</translate><rotate>0 0 1 90</rotate><node><scale>2 2 -2</scale><matrix>1 0 0 0 0 1 0 0 0 0 1 5 0 0 0 1</matrix>"
        '<instance_geometry url="#g"/></node></node>'
    )
    found = corners(document(nodes))
    np.testing.assert_allclose(sorted(map(tuple, found.reshape(-1, 3).round(12)))[0], [-1, 0, -10], atol=1e-12)
    a, b, c = found[0]
    assert np.cross(b - a, c - a)[2] < 0.0  # it faced up, and is mirrored


def test_nodes_of_a_library_may_be_placed_twice():
    extra = '<library_nodes><node id="n"><instance_geometry url="#g"/></node></library_nodes>'
    nodes = '<node><instance_node url="#n"/></node><node><translate>0 0 3</translate><instance_node url="#n"/></node>'
    assert sorted({float(z) for z in corners(document(nodes, extra=extra))[..., 2].ravel()}) == [0.0, 3.0]


def bomb(levels=40):
    """Each node places the next one twice."""
    nodes = "".join(f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>' for k in range(levels))
    return f'<library_nodes>{nodes}<node id="n{levels}"><instance_geometry url="#g"/></node></library_nodes>'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<robot/>", "its root element is <robot>"),
        (b"<COLLADA/>", "no triangles"),
        (b"<COLLADA", "no XML"),
        (document(head='<!DOCTYPE x [<!ENTITY a "b">]>'), "document type"),
        (document('<node><instance_geometry url="#absent"/></node>'), "'#absent', which is not in the file"),
        (document('<node><instance_geometry url="http://x/y.dae#g"/></node>'), "not in the file"),
        (document(primitive=TWO.replace("0 0 1 0 2 0", "0 0 9 0 2 0")), "a vertex that is not there"),
        (document(primitive=TWO.replace("0 0 1 0 2 0", "0 0 -1 0 2 0")), "a vertex that is not there"),
        (document(primitive=TWO.replace("#v", "#absent")), "not in the file"),
        (document(primitive=TWO.replace('offset="1"', 'offset="-1"')), "no offset"),
        (document(primitive=TWO.replace("0 0 1", "0 x 1")), "invalid literal"),
        (document(asset='<unit meter="nan"/>'), "not a finite number"),
        (document("<node><matrix>1 2</matrix></node>"), "2 numbers; allowed are 16"),
        (document("<node><lookat>1 2</lookat></node>"), "<lookat> is not read"),
        (document('<node><instance_node url="#n0"/></node>', extra=bomb()), "instances"),
        (document('<node id="n"><instance_node url="#n"/></node>'), "deeper than 64"),
    ],
)
def test_files_that_are_wrong_or_mean_harm_are_refused(data, said):
    with pytest.raises(ValueError, match=said):
        collada(data)


def test_instances_that_multiply_triangles_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_TRIANGLES", 5)
    with pytest.raises(ValueError, match="make the mesh coarser"):
        collada(document(PLACED * 3))
