"""The inertia of links: that of all bodies they carry, added up."""

import numpy as np


def link_inertias(n, carried):
    """(m, h, I) of n links, shapes (n,), (n, 3), (n, 3, 3), each about the origin of its provisional frame.

    carried: (link, ten numbers, R, p) of all bodies: their inertia, and where their frames are in that of the link.
    """
    m, h, I = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    if not carried:
        return m, h, I
    link, ten, R, p = (np.array(column) for column in zip(*carried, strict=True))
    T = ten[:, [[4, 5, 6], [5, 7, 8], [6, 8, 9]]]
    first = (R @ ten[:, 1:4, None])[:, :, 0]
    turned = R @ T @ R.transpose(0, 2, 1)
    mass = ten[:, 0, None]
    # From the body's origin to the link's: h + m p, and I + tr(C) 1 - C with C = p h^T + h p^T + m p p^T.
    column, row = p[:, :, None], p[:, None, :]
    cross = column * first[:, None, :] + first[:, :, None] * row + mass[:, :, None] * (column * row)
    trace = (cross[:, 0, 0] + cross[:, 1, 1] + cross[:, 2, 2])[:, None, None] * np.eye(3)
    np.add.at(m, link, ten[:, 0])
    np.add.at(h, link, first + mass * p)
    for k, i in enumerate(link.tolist()):
        I[i] = I[i] + turned[k] + trace[k] - cross[k]
    return m, h, I
