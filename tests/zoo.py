"""The zoo: mechanisms with loops, drawn closed, and what the textbooks know of their mobility.

Every entry of `ZOO` makes an `Example`: the mechanism, coordinates (by joint) in which all loops are closed, and `Facts`. All joints
stand at rest in the drawn pose, so the coordinates are those of `linkwork.neutral`; poses away from it are found by moving.
Functions with arguments make other sizes and forms of the same.
"""

import functools

from .zoo_assembly import Drawing, Example, Facts, configuration
from .zoo_chains import ball_loop, chain_between_poles, floating_ring, necklace
from .zoo_planar import (
    crossed_four_bar,
    door,
    flat_four_bar,
    four_bar,
    gear_train,
    n_four_bar,
    parallelogram,
    scissor_lift,
    shaky_truss,
    slider_crank,
    truss,
    watt_six_bar,
)
from .zoo_random import random_loops
from .zoo_spatial import bennett, bricard, delta, hexapod_truss, rssr, sarrus, spatial_slider_crank, stewart

__all__ = ["ZOO", "Drawing", "Example", "Facts", "configuration", "random_loops"]

_made = functools.partial

ZOO = {
    "four-bar": four_bar,
    "crossed four-bar": crossed_four_bar,
    "flat four-bar": flat_four_bar,
    "slider-crank": slider_crank,
    "parallelogram": _made(parallelogram, 2),
    "parallelogram with a redundant link": _made(parallelogram, 3),
    "parallelogram with two redundant links": _made(parallelogram, 4),
    "scissor lift": scissor_lift,
    "Watt six-bar": watt_six_bar,
    "truss": truss,
    "braced truss": _made(truss, 3),
    "shaky truss": shaky_truss,
    "4-four-bar": n_four_bar,
    "flat 3-four-bar": _made(n_four_bar, 3, 0.0),
    "door": door,
    "gear train": gear_train,
    "spatial slider-crank": spatial_slider_crank,
    "RSSR": rssr,
    "Sarrus": sarrus,
    "Bennett": bennett,
    "Bricard, line-symmetric": bricard,
    "Bricard, plane-symmetric": _made(bricard, "plane"),
    "Bricard, cube": _made(bricard, "cube"),
    "Stewart platform": stewart,
    "Stewart platform with spinning legs": _made(stewart, "spherical"),
    "hexapod truss": hexapod_truss,
    "delta robot": delta,
    "chain of balls between poles": chain_between_poles,
    "chain of parallel hinges between poles": _made(chain_between_poles, 6, "parallel"),
    "chain of skew hinges between poles": _made(chain_between_poles, 8, "skew"),
    "loop of balls": ball_loop,
    "floating ring of hinges": floating_ring,
    "rigid floating ring of hinges": _made(floating_ring, 5),
    "floating ring of balls": _made(floating_ring, 5, "ball"),
    "necklace": _made(necklace, 12),
}
