"""Shapes as numbers, and where two of them touch.

    kinds.py         the kinds of shapes
    shape_table.py   a shape as a row of numbers
    manifold.py      contact points of two shapes
    collide.py       which kernel answers for which pair of kinds
    convex.py        any convex shape against any other; its parts:
        support.py separation.py gjk.py simplex.py epa.py polish.py   the direction in which they are farthest apart
        faces.py convex_manifold.py                                   faces clipped against each other
        convex_data.py                                                working memory
        convex_pair.py                                                for Python
    height_field.py triangles.py surface_touch.py   the ground: surfaces made of triangles
    hull.py surface.py                              arrays of hulls, height fields and meshes, prepared in Python
    pair.py          the same for Python: the manifold of two shapes given as plain values

Each pair of kinds is a kernel of its own. Poses are world poses (R, p), R of nine numbers row-major; lengths in m.
"""
