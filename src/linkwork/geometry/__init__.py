"""Shapes as numbers, and where two of them touch.

    kinds.py         the kinds of shapes
    shape_table.py   a shape as a row of numbers
    manifold.py      contact points of two shapes
    collide.py       which kernel answers for which pair of kinds
    pair.py          the same for Python: the manifold of two shapes given as plain values

Each pair of kinds is a kernel of its own. Poses are world poses (R, p), R of nine numbers row-major; lengths in m.
"""
