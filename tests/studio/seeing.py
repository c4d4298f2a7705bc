"""Where things are on a page, and when it has drawn them."""

import math
import time

import numpy as np

from ..waiting import wait_for


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


def camera_rests(page, client):
    """Wait until the view stands still for a while: what is aimed at is aimed at with what the page has told of its camera."""
    seen = []

    def still():
        rendered(page)
        seen.append((time.monotonic(), np.concatenate([client.camera.position, client.camera.look_at])))
        lately = [view for when, view in seen if when > seen[-1][0] - 0.5]
        return seen[-1][0] - seen[0][0] > 0.5 and np.ptp(lately, axis=0).max() < 1e-9

    wait_for(still)


def quick(address):
    """The address of a page, drawn with a quarter of its pixels: they cost most where there is no graphics card."""
    return f"{address.rstrip('/')}/?fixedDpr=0.5"
