"""Where things are on a page, and when it has drawn them."""

import math

import numpy as np


def pixel(camera, point, box):
    """Where a point of the world is on the page, for the camera of a client and the box of its canvas."""
    ahead = np.subtract(camera.look_at, camera.position)
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, camera.up_direction)
    right /= np.linalg.norm(right)
    X = np.array((right, np.cross(ahead, right), ahead)) @ (np.asarray(point) - camera.position)
    x, y = 0.5 * box["height"] * X[:2] / (X[2] * math.tan(0.5 * camera.fov))
    return box["x"] + 0.5 * box["width"] + x.item(), box["y"] + 0.5 * box["height"] + y.item()


def rendered(page):
    """The browser has drawn what it was sent before."""
    page.evaluate("() => new Promise(done => { let n = 0; const f = () => ++n > 3 ? done() : requestAnimationFrame(f); f(); })")


def quick(address):
    """The address of a page, drawn with a quarter of its pixels: they cost most where there is no graphics card."""
    return f"{address.rstrip('/')}/?fixedDpr=0.5"
