"""A picture as SVG text: one path for each face, in the order of painting. Names are escaped: they may be anything."""

from xml.sax.saxutils import escape

import numpy as np

from .shade import INK, PAPER, hexadecimal

# What XML cannot hold in any spelling.
_FORBIDDEN = {code: "\ufffd" for code in (*range(0x00, 0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000))}


def svg_text(marks, labels, size, title) -> str:
    """The whole file. size: width and height in pixels."""
    width, height = size
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'stroke-linecap="round" stroke-linejoin="round">',
        f"<title>{plain(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="{hexadecimal(PAPER)}"/>',
    ]
    lines += _together(marks)
    scale = height / 720.0
    if labels:
        halo = f'paint-order="stroke" stroke="{hexadecimal(PAPER)}" stroke-width="{3 * scale:.3g}"'
        lines.append(f'<g font-family="sans-serif" font-size="{13 * scale:.3g}" fill="{hexadecimal(INK)}" text-anchor="middle" {halo}>')
        lines += [f'<text x="{label.at[0]:.2f}" y="{label.at[1]:.2f}">{plain(label.text)}</text>' for label in labels]
        lines.append("</g>")
    return "\n".join([*lines, "</svg>\n"])


def plain(text):
    """Text as it may stand in XML, wherever it came from."""
    return escape(str(text).translate(_FORBIDDEN), {'"': "&quot;", "'": "&#39;"})


def _together(marks):
    """Paths; neighbours that look the same, and may be one, are one."""
    run, now = [], None
    for style, may_join, path in (part for mark in marks for part in _paths(mark)):
        if run and not (may_join and style == now):
            yield f'<path d="{" ".join(run)}" {now}/>'
            run = []
        run, now = [*run, path], style
    if run:
        yield f'<path d="{" ".join(run)}" {now}/>'


def _paths(mark):
    """(style, may it join the one before, path data). A face gets a hairline of its own colour, so that no paper shines through."""
    points = np.round(mark.points, 2)
    line = None if mark.line is None else f'fill="none" stroke="{hexadecimal(mark.line)}" stroke-width="{mark.width:.3g}"'
    if mark.fill is None:
        yield line, True, _line(points)
        return
    color = hexadecimal(mark.fill)
    # Shadows have no outlines and one colour; all of them are one path.
    yield f'fill="{color}" stroke="{color}" stroke-width="0.6"', line is None, _line(points) + "Z"
    if mark.edges and line is not None:
        yield line, True, "".join(_line(points[[k, (k + 1) % len(points)]]) for k in mark.edges)


def _line(points):
    return "M" + "L".join(f"{x:g},{y:g}" for x, y in points.tolist())
