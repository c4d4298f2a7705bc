"""A scene in a browser: what is drawn where, what a click names, what a drag tells."""

import io
import queue

import numpy as np
import pytest
import viser
from PIL import Image

import linkwork as lw
from linkwork.studio.scene import Scene

from ..waiting import wait_for
from .seeing import camera_rests, pixel

LONG = 120.0  # s: the first frame of a page compiles its shaders, in software, on a machine that may be busy
BOX = {"x": 0.0, "y": 0.0, "width": 720.0, "height": 540.0}  # of the canvas, on the page


@pytest.fixture
def scene():
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    made = Scene(server)
    made.shadows(False)
    yield made
    made.close()
    server.stop()


def boxes():
    """A big box and a small one, 1.2 m apart, both floating."""
    m = lw.Mechanism("boxes")
    m.add_body('big/"ä', mass=1.0, shape=lw.Box(0.5, 0.5, 0.5))
    m.add_body("small", mass=1.0, shape=lw.Box(0.3, 0.3, 0.3))
    return m, np.array(((0.0, 0.0, 0.3), (1.2, 0.0, 0.3))), np.tile((1.0, 0.0, 0.0, 0.0), (2, 1))


def opened(scene, browser_page):
    """(page, client) once the client has told its camera and knows the view that fits."""
    page = browser_page(f"http://127.0.0.1:{scene.server.get_port()}")
    client = wait_for(lambda: next(iter(scene.server.get_clients().values()), None))
    camera_rests(page, client)
    return page, client


def seen(page, at):
    """The colour at a pixel of the page, three numbers from 0 to 255."""
    x, y = np.round(at).tolist()
    image = Image.open(io.BytesIO(page.screenshot(clip={"x": x - 1, "y": y - 1, "width": 3, "height": 3}))).convert("RGB")
    return np.array(image, dtype=float).mean(axis=(0, 1))


def looks_like(color, wanted):
    """Is a shaded colour of the hue of another? Light changes brightness and a little of the saturation, so directions are compared."""
    a, b = (np.asarray(c, dtype=float) - np.mean(c) for c in (color, wanted))
    return np.linalg.norm(a) > 8.0 and a @ b > 0.9 * np.linalg.norm(a) * np.linalg.norm(b)


def rgb(text):
    return [int(text[k : k + 2], 16) for k in (1, 3, 5)]


def test_bodies_are_drawn_touched_dragged_and_follow(scene, browser_page):
    m, P, Q = boxes()
    big = 'big/"ä'
    clicks, drags = queue.Queue(), queue.Queue()
    scene.on_click(clicks.put)
    scene.on_drag(drags.put, drags.put, drags.put)
    scene.show(m, P, Q)
    scene.fit_camera()
    page, client = opened(scene, browser_page)

    # Drawn where they project, in their colours.
    at = pixel(client.camera, P[0], BOX)
    wait_for(lambda: looks_like(seen(page, at), rgb(scene.color(big))))
    assert looks_like(seen(page, pixel(client.camera, P[1], BOX)), rgb(scene.color("small")))

    # A click tells the body, though its name is no path, and the point on its surface.
    page.mouse.click(*at)
    click = clicks.get(timeout=LONG)
    assert (click.part, click.role, click.body, click.modifiers) == (big, "body", big, frozenset())
    assert np.abs(click.point).max() == pytest.approx(0.25, abs=1e-3), "on a face of a box with edges 0.5; float32 on the way"
    np.testing.assert_allclose(click.world, P[0] + click.point, atol=1e-9)

    # The background is no part; its point is on the floor.
    page.mouse.click(BOX["width"] / 2, BOX["height"] - 8)
    click = clicks.get(timeout=LONG)
    assert click.part is None and abs(click.world[2]) < 1e-9
    x, y = pixel(client.camera, click.world, BOX)
    assert abs(y - (BOX["height"] - 8)) < 2.0, "the click on the part was told again, as one on the background"

    # A drag: the body, the grabbed point, and a target in the plane through it parallel to the screen.
    scene.select(big)
    page.mouse.move(*at)
    page.mouse.down()
    for k in range(1, 9):
        page.mouse.move(at[0] + 10 * k, at[1])
    page.mouse.up()
    first = drags.get(timeout=LONG)
    told = [first]
    while told[-1].phase != "end":
        told.append(drags.get(timeout=LONG))
    assert (first.phase, first.body, first.part) == ("start", big, big)
    assert np.abs(first.point).max() == pytest.approx(0.25, abs=1e-3)
    grabbed, ahead = P[0] + first.point, np.subtract(client.camera.look_at, client.camera.position)
    shift = told[-1].target - grabbed
    assert abs(shift @ ahead) / np.linalg.norm(ahead) < 1e-3, "the target leaves the plane parallel to the screen"
    np.testing.assert_allclose(pixel(client.camera, told[-1].target, BOX), np.add(at, (80.0, 0.0)), atol=2.0)

    # Bodies go where they are told; what was there shows the background.
    scene.select()
    scene.move(P + (0.0, 0.0, 3.0) * np.array(((0.0,), (1.0,))), Q)
    wait_for(lambda: not looks_like(seen(page, pixel(client.camera, P[1], BOX)), rgb(scene.color("small"))))

    # A body more: the batch grows, indices stay right.
    m.add_body("ball", mass=1.0, shape=lw.Box(0.3, 0.3, 0.3))
    new = (0.3, -0.7, 0.15)
    scene.show(m, np.concatenate([P, [new]]), np.tile((1.0, 0.0, 0.0, 0.0), (3, 1)))
    wait_for(lambda: looks_like(seen(page, pixel(client.camera, new, BOX)), rgb(scene.color("ball"))))
    page.mouse.click(*pixel(client.camera, new, BOX))
    assert clicks.get(timeout=LONG).part == "ball"

    # The view turns by the background, and with alt over a body; nobody is dragged then.
    before = client.camera.position.copy()
    for start, key in (((40.0, 400.0), None), (at, "Alt")):
        if key:
            page.keyboard.down(key)
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(start[0] + 50.0, start[1] + 10.0, steps=5)
        page.mouse.up()
        if key:
            page.keyboard.up(key)
        wait_for(lambda eye=before: np.linalg.norm(client.camera.position - eye) > 0.05)
        assert drags.empty()
        before = client.camera.position.copy()
