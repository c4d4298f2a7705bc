"""From a live mechanism to files that others read: each function gives the bytes of one file. They take snapshots, so that any thread may call them."""

import tempfile
import warnings
from pathlib import Path

import numpy as np

import linkwork as lw

SIZE = (1280, 960)
MOST_SPANS = 60  # of a replay
BEFORE = "before that the mechanism had other parts, which a replay shows"


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


def replay(spans, folder) -> bytes:
    """A page that replays all that was recorded, each span with the parts of then; all that it needs is in it. spans: those of lw.Live."""
    shown = replayed(spans)
    if not shown:
        raise lw.StudioError("replay: nothing has been recorded yet; let time run first")
    length = shown[-1].last - shown[0].first
    motions = []
    for span in shown:
        times = np.asarray(span.recording.time)
        later = np.concatenate([np.diff(times) > 0.0, [True]])  # of frames that share a time, the last: what was edited is done
        motions.append((confined(span.mechanism, folder), times[later], np.asarray(span.recording.q)[later]))

    def write(path):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.PictureWarning)
            lw.animate(motions, str(path), fps=min(30.0, 40_000 / length), quiet=True)

    return _through_a_file(folder, ".html", write)


def replayed(spans) -> list:
    """The spans of a replay: those in which time passed, and of these the last ones, since each brings its shapes along; none backwards."""
    shown: list = []
    for span in reversed(spans):
        if span.last > span.first and len(shown) < MOST_SPANS and (not shown or span.last <= shown[0].first):
            shown.insert(0, span)
    return shown


def covered(spans) -> str:
    """What an export of a recording covers, in words."""
    return f"{spans[-1].first:.2f} s to {spans[-1].last:.2f} s" + (f"; {BEFORE}" if len(replayed(spans)) > 1 else "")


def covered_in_turn(spans) -> str:
    """What a replay covers, in words."""
    shown = replayed(spans)
    words = f"{shown[0].first:.2f} s to {shown[-1].last:.2f} s"
    words += f", in {len(shown)} spans, each with the parts of then" if len(shown) > 1 else ""
    missing = shown[0].first > spans[0].first + 1e-9
    return words + ("; what came before is left out, since parts came and went too often" if missing else "")


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
        raise lw.StudioError(f"{what}: nothing has been recorded since parts were last added, removed or changed; let time run first")


def _through_a_file(folder, suffix, write):
    """Bytes of what a function writes to a path: in the studio's folder, like all that the studio writes, and gone at once."""
    try:
        with tempfile.TemporaryDirectory(dir=folder.path, prefix=".linkwork-") as place:
            path = Path(place) / f"file{suffix}"
            write(path)
            return path.read_bytes()
    except OSError as error:
        raise lw.StudioError(f"{folder.path}: nothing can be written there ({error.strerror or error}); check the folder") from error
