"""SIMD lanes as a Numba scalar type: a ``Pack`` is LANES doubles in one vector register.

Kernels are written once, for "a scalar". Called with float64 they work on one state; called with packs they work on LANES
states at once, one state a lane. Arithmetic (+ - * / unary -), comparison (a mask), `where`, `sqrt`, `sincos` and `atan2` are all they need; the verbs
that choose between scalar kinds live in `scalar.py`. Nothing else in the package mentions lanes.
"""

from .elementary import atan2_pack, sincos_float, sincos_pack
from .memory import (
    LINE,
    chosen_to_rows,
    flat,
    load_element,
    load_pack,
    packs_to_rows,
    rows_to_packs,
    store_element,
    store_pack,
    stream_edge,
    stream_element,
    stream_lines,
    streams_end,
    until_line,
)
from .pack import LANES, MASK, PACK, MaskType, PackType, abs_pack, any_beyond, lane, select, spread, sqrt_pack, with_lane

__all__ = [
    "LANES",
    "LINE",
    "MASK",
    "PACK",
    "MaskType",
    "PackType",
    "abs_pack",
    "any_beyond",
    "atan2_pack",
    "chosen_to_rows",
    "flat",
    "lane",
    "load_element",
    "load_pack",
    "packs_to_rows",
    "rows_to_packs",
    "select",
    "sincos_float",
    "sincos_pack",
    "spread",
    "sqrt_pack",
    "store_element",
    "store_pack",
    "stream_edge",
    "stream_element",
    "stream_lines",
    "streams_end",
    "until_line",
    "with_lane",
]
