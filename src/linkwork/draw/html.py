"""An animation as one page of HTML: geometry and poses in it, and a small script (replay.js) that paints them. Nothing is loaded from elsewhere.

Names of parts may be anything, so they enter the page in two ways only: escaped, in its title, and inside JSON in which no character can end
the element it stands in. A content security policy lets the one script run and nothing else.
"""

import base64
import hashlib
import json
from importlib.resources import files

import numpy as np

from . import shade
from .strokes import floor_grid
from .svg import plain

STYLE = """
body { margin: 0; background: #fbfaf7; color: #33373f; font: 15px/1.4 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 0.8rem; box-sizing: border-box; }
h1 { font-size: 1.05rem; font-weight: 600; margin: 0 0 0.5rem; overflow-wrap: anywhere; }
canvas { width: 100%; display: block; border: 1px solid #e4e1d8; border-radius: 6px; touch-action: none; cursor: grab; }
#bar { display: flex; gap: 0.8rem; align-items: center; margin-top: 0.6rem; }
#time { flex: 1; accent-color: #5c82a9; }
#clock { min-width: 5em; text-align: right; font-variant-numeric: tabular-nums; }
button, select { font: inherit; color: inherit; background: #ffffff; border: 1px solid #d4d0c4; border-radius: 5px; padding: 0.2rem 0.7rem; }
button { min-width: 3em; }
p { margin: 0.5rem 0 0; color: #7a7d84; font-size: 0.85rem; }
"""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-{script_hash}'; style-src 'sha256-{style_hash}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<canvas id="view" role="img" aria-label="{title}"></canvas>
<div id="bar">
<button id="play" type="button" aria-label="play or pause">&#9654;</button>
<input id="time" type="range" aria-label="time">
<span id="clock"></span>
<select id="pace" aria-label="speed"><option value="0.1">0.1 &times;</option><option value="0.25">0.25 &times;</option><option value="0.5">0.5 &times;</option>
<option value="1" selected>1 &times;</option><option value="2">2 &times;</option><option value="5">5 &times;</option></select>
</div>
<p>Drag to turn, shift and drag to move, wheel to zoom, double click to start anew, space to pause.</p>
</main>
<script id="motion" type="application/json">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def html_text(motions, view, trails=(), title=None):
    """The whole page. motions: each takes the place of the one before, from its first time on; the floor is that of all.

    trails: lines (n, 3), shown up to the moment while the first motion lasts. title: by default the name of the first model.
    """
    title = plain(motions[0].figure.model.name if title is None else title)
    script = files(__package__).joinpath("replay.js").read_text(encoding="utf-8")
    data, *later = (_data(motion, view, () if k else trails) for k, motion in enumerate(motions))
    if later:
        data["then"] = later
        largest = max(range(len(motions)), key=lambda k: motions[k].figure.size)
        grid = (data, *later)[largest]["grid"]
        for each in (data, *later):
            each["grid"] = grid
    return PAGE.format(
        title=title,
        style=STYLE,
        script=script,
        style_hash=_hash(STYLE),
        script_hash=_hash(script),
        data=safe_json(data),
    )


def safe_json(data):
    """JSON that can stand in a <script> element: no < > & in it, whatever the names are."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _data(motion, view, trails):
    (figure, stack, times, kinematics), (camera, size, floor, shadow, labels) = motion, view
    left, right, top, bottom = camera.edges(size)
    starts = np.concatenate([[0], np.cumsum(stack.count)])
    corners = (
        np.concatenate([face[:count] for face, count in zip(stack.faces, stack.count, strict=True)]) if len(stack.faces) else np.zeros(0)
    )
    return {
        "size": list(size),
        "bodies": [b.name for b in figure.model.bodies],
        "times": _packed(times, "<f4"),
        "poses": _packed(poses(kinematics), "<f4"),
        "points": _packed(stack.points, "<f4"),
        "owner": _packed(stack.owner, "<i4"),
        "corners": _packed(corners, "<u4"),
        "starts": _packed(starts, "<u4"),
        "colors": _packed(np.round(255 * stack.color), "u1"),
        "closed": _packed(stack.closed[stack.solid], "u1"),
        "edges": _packed(_edges(stack), "<i4"),
        "lines": [{"body": x.body, "points": _packed(x.points, "<f4"), "color": _bytes(x.color), "width": x.width} for x in figure.lines],
        "ties": [
            {"style": x.style, "a": _anchor(x.a), "b": _anchor(x.b), "color": _bytes(x.color), "radius": x.radius, "width": x.width}
            for x in figure.ties
        ],
        "trails": [_packed(trail, "<f4") for trail in trails],
        "labels": [[text, body, point.tolist()] for text, body, point in figure.labels] if labels else [],
        "floor": None if floor is None else [float(x) for x in floor],
        "grid": []
        if floor is None
        else [[_blend(strength), _packed(ends, "<f4")] for strength, ends in floor_grid(floor, floor[2], figure.size)],
        "shadow": bool(shadow),
        "camera": {
            "eye": list(camera.eye),
            "target": list(camera.target),
            "up": list(camera.up),
            "near": camera.near,
            "field_of_view": 2.0 * float(np.arctan(0.5 * (bottom - top))),
        },
        "sun": shade.SUN.tolist(),
        "light": [shade.AMBIENT, shade.SUN_SHARE, shade.HEAD_SHARE],
        "paper": _bytes(shade.PAPER),
        "shade": _bytes(shade.SHADOW),
        "trail": _bytes(shade.TRAIL),
    }


def poses(kinematics):
    """x y z qw qx qy qz of every body at every moment, (n, nb, 7)."""
    R, p = kinematics.rotations, kinematics.positions
    if not R.size:
        return np.zeros((*p.shape[:-1], 7))
    from scipy.spatial.transform import Rotation  # here, so that `import linkwork` need not wait for it

    x, y, z, w = Rotation.from_matrix(R.reshape(-1, 3, 3)).as_quat().T
    return np.concatenate([p.reshape(-1, 3), np.column_stack([w, x, y, z])], axis=1).reshape(*p.shape[:-1], 7)


def _edges(stack):
    """(corner, corner, face, face beyond or -1, is it sharp), every edge once, (n, 5)."""
    f, k = np.nonzero(np.arange(stack.faces.shape[1]) < stack.count[:, None])
    a, b = stack.faces[f, k], stack.faces[f, (k + 1) % stack.count[f]]
    beyond = stack.neighbour[f, k]
    once = (beyond < 0) | (f < beyond)
    return np.column_stack([a, b, f, beyond, stack.crease[f, k]])[once]


def _packed(array, kind):
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode("ascii")


def _anchor(end):
    return [int(end[0]), [float(x) for x in end[1]]]


def _bytes(color):
    return [round(255 * float(x)) for x in color]


def _blend(strength):
    return _bytes(s + strength * (g - s) for g, s in zip(shade.GRID, shade.PAPER, strict=True))


def _hash(text):
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
