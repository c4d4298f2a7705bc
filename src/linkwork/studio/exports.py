"""From a live mechanism to files that others read: each function gives the bytes of one file. They take snapshots, so that any thread may call them."""

import tempfile
import warnings
from pathlib import Path

import numpy as np

import linkwork as lw

SIZE = (1280, 960)


def confined(mechanism, folder):
    """A mechanism without the mesh files that lie outside of the folder: those are not the studio's to read."""

    def outside(shape):
        return isinstance(shape, lw.MeshFile) and not folder.holds(shape.path)

    clone = None
    for body in (mechanism.ground, *mechanism.bodies):
        given = {
            kind: tuple(shape for shape in shapes if not outside(shape))
            for kind in ("visuals", "collisions")
            if any(map(outside, shapes := getattr(body, kind)))
        }
        if outside(getattr(body, "shape", None)):
            given["shape"] = None
        if given:
            clone = clone or mechanism.clone()
            clone.change(body.name, **given)
    return clone or mechanism


def picture(snapshot, folder, camera=None, size=SIZE) -> bytes:
    """A PNG of the mechanism as it stands. camera: a lw.Camera, by default one that sees all of it."""
    if not snapshot.mechanism.bodies:
        raise lw.StudioError("picture: there is nothing to be seen yet; add a body first")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.PictureWarning)
        return lw.draw(confined(snapshot.mechanism, folder), snapshot.q, camera=camera, size=size).png()


def camera_of(client):
    """The camera of a page."""
    eye, target = np.asarray(client.camera.position, dtype=float), np.asarray(client.camera.look_at, dtype=float)
    return lw.Camera(tuple(eye), tuple(target), up=tuple(client.camera.up_direction), field_of_view=float(client.camera.fov))


def seen(client, height=1080) -> bytes:
    """A PNG of what a page shows, rendered by its browser."""
    import io

    from PIL import Image

    width = max(16, min(4096, int(height * client.camera.aspect)))
    try:
        pixels = client.get_render(height, width, transport_format="png", timeout=20.0)
    except (TimeoutError, RuntimeError, ConnectionError) as error:
        raise lw.StudioError(
            f"picture: the page did not send one ({error or 'it took too long'}); try again, or draw it instead"
        ) from error
    paper = Image.new("RGBA", (pixels.shape[1], pixels.shape[0]), (255, 255, 255, 255))
    paper.alpha_composite(Image.fromarray(pixels).convert("RGBA"))
    file = io.BytesIO()
    paper.convert("RGB").save(file, "PNG")
    return file.getvalue()


def replay(recording, mechanism, folder) -> bytes:
    """A page that replays a recording, with all that it needs in it."""
    _need_frames(recording, "replay")
    times, qs = np.asarray(recording.time), np.asarray(recording.q)
    later = np.concatenate([[True], np.diff(np.maximum.accumulate(times)) > 0.0])
    span = float(times[later][-1] - times[0])
    fps = min(30.0, 40_000 / span) if span > 0.0 else 30.0

    def write(path):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.PictureWarning)
            lw.animate(confined(mechanism, folder), times[later], qs[later], str(path), fps=fps, quiet=True)

    return _through_a_file(folder, ".html", write)


def arrow(recording, folder) -> bytes:
    """A recording as an Arrow file, without loss: lw.Recording.load reads it."""
    _need_frames(recording, "recording")
    return _through_a_file(folder, ".arrow", lambda path: recording.save(str(path)))


def csv(recording, folder) -> bytes:
    """A recording as a table of text."""
    _need_frames(recording, "recording")
    return _through_a_file(folder, ".csv", lambda path: recording.to_csv(str(path)))


def _need_frames(recording, what):
    if len(recording) < 2:
        raise lw.StudioError(f"{what}: nothing has been recorded since the last edit; let time run first")


def _through_a_file(folder, suffix, write):
    """Bytes of what a function writes to a path: in the studio's folder, like all that the studio writes, and gone at once."""
    try:
        with tempfile.TemporaryDirectory(dir=folder.path, prefix=".linkwork-") as place:
            path = Path(place) / f"file{suffix}"
            write(path)
            return path.read_bytes()
    except OSError as error:
        raise lw.StudioError(f"{folder.path}: nothing can be written there ({error.strerror or error}); check the folder") from error
