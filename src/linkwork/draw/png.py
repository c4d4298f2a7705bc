"""A picture as pixels: painted larger by Pillow, then made smaller, which smooths every border."""

import io

from .shade import INK, PAPER

SAMPLES = 3  # pixels painted for one pixel of the picture, along each side


def image(marks, labels, size, samples=SAMPLES):
    """A Pillow image of the size."""
    from PIL import Image, ImageDraw

    big = Image.new("RGB", (size[0] * samples, size[1] * samples), _bytes(PAPER))
    pen = ImageDraw.Draw(big)
    for mark in marks:
        points = [tuple(point) for point in (mark.points * samples).tolist()]
        width = max(round(mark.width * samples), 1)
        if mark.fill is None:
            _stroke(pen, points, mark.line, width)
            continue
        color = _bytes(mark.fill)
        pen.polygon(points, fill=color)
        pen.line([*points, points[0]], fill=color, width=min(samples, 2))  # so that no paper shines through between neighbours
        if mark.line is not None:
            for k in mark.edges:
                _stroke(pen, [points[k], points[(k + 1) % len(points)]], mark.line, width)
    made = big.reduce(samples) if samples > 1 else big
    if labels:
        _write(ImageDraw.Draw(made), labels, size)
    return made


def png_bytes(marks, labels, size) -> bytes:
    """The whole file."""
    file = io.BytesIO()
    image(marks, labels, size).save(file, format="PNG", optimize=True)
    return file.getvalue()


def _stroke(pen, points, color, width):
    """A line with round ends."""
    pen.line(points, fill=_bytes(color), width=width, joint="curve")
    if width > 3:
        r = 0.5 * width - 0.5
        for x, y in (points[0], points[-1]):
            pen.ellipse((x - r, y - r, x + r, y + r), fill=_bytes(color))


def _write(pen, labels, size):
    from PIL import ImageFont

    font = ImageFont.load_default(size=max(13.0 * size[1] / 720.0, 8.0))
    for label in labels:
        text = "".join(c if c.isprintable() else "\ufffd" for c in label.text)[:60]
        pen.text(label.at, text, fill=_bytes(INK), font=font, anchor="mm", stroke_width=2, stroke_fill=_bytes(PAPER))


def _bytes(color):
    return tuple(round(255 * min(max(float(x), 0.0), 1.0)) for x in color)
