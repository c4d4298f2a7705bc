"""`animate`: a motion as a GIF, or as a page that replays it."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import need_array
from ..dynamics.configuration import difference, integrate
from ..dynamics.kinematics import forward_kinematics
from ..errors import FormatError, StateError
from ..kernels.switches import switch
from ..parts.part import Named
from ..parts.place import Place
from ..parts.validation import number, refuse, sequence
from .figure import model_of
from .fit import fitted
from .html import html_text
from .look import Look, MovingFigure, floor_of
from .page_sequence import page_in_sequence
from .picture import suffix_of, writable, write
from .png import image
from .poses import configuration
from .scene import marks_of
from .show import checked_camera, checked_size
from .stack import Stack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from os import PathLike

    from numpy.typing import ArrayLike

    from ..model.model import Model
    from .camera import Camera

SUFFIXES = (".gif", ".html")
# By suffix: size, frames a second, most frames
DEFAULTS = {".gif": ((640, 480), 20.0, 2000), ".html": ((960, 720), 30.0, 50_000)}
# From so many frames of a GIF on, progress is shown.
LONG = 20


# parameters: a public function; all but the motion and the path are options of the film, given by name
def animate(
    model: Any,
    times: ArrayLike | None = None,
    qs: ArrayLike | None = None,
    path: str | PathLike[str] | None = None,
    camera: Camera | Callable[[float], Camera] | None = None,
    size: tuple[int, int] | None = None,
    *,
    fps: float | None = None,
    speed: float = 1.0,
    trails: Iterable[Any] = (),
    colors: Mapping[Any, str] | None = None,
    joints: bool = True,
    frames: Iterable[Any] | bool = (),
    labels: bool = False,
    floor: float | bool = True,
    shadow: bool = True,
    quiet: bool | None = None,
) -> str:
    """A motion as a .gif, or as a self-contained .html page: play, pause, scrub, turn with the mouse. Returns the path.

    Args:
        model: a Mechanism or a Model; or a recording (its model keeps the shapes), followed by the path alone: animate(recording, "run.html");
            or, for a page, a list of (mechanism, times, qs) that follow each other: animate(motions, path="run.html").
        times: (n,) in s, increasing. qs: (n, nq).
        path: where to save it; the suffix tells the format.
        camera: a Camera; for a GIF also a function of time that returns one. By default it sees the whole motion.
        fps: frames a second; 20 for a GIF, 30 for a page. Poses in between are interpolated along each joint.
        speed: seconds of motion for one second of a GIF; a page has a menu for it.
        trails: frames, bodies, names of them, or places, whose paths are drawn, up to the moment.
        quiet: True shows no progress; by default LINKWORK_QUIET decides.
        Others: see draw.

    >>> import linkwork as lw
    >>> import tempfile, pathlib
    >>> m = lw.Mechanism("pendulum")
    >>> bob = m.add_body("bob", shape=lw.Sphere(0.1), density=1000.0)
    >>> _ = m.add_joint("pivot", lw.Revolute(axis=(0, 1, 0)), m.ground.at(0, 0, 1), bob.at(0, 0, 1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = lw.animate(m, [0.0, 0.5, 1.0], [[0.5], [0.0], [-0.5]], pathlib.Path(folder) / "swing.html", quiet=True)
    ...     made = pathlib.Path(path).stat().st_size > 1000
    >>> made
    True
    """
    model, times, qs, path = _given(model, times, qs, path)
    suffix = suffix_of(path, SUFFIXES, "animate")
    writable(path)
    usual_size, usual_fps, most = DEFAULTS[suffix]
    size = checked_size(usual_size if size is None else size)
    fps, speed = _positive("fps", usual_fps if fps is None else fps), _positive("speed", speed)
    look = Look(colors, joints, frames, labels, floor, shadow)
    if isinstance(model, (list, tuple)):
        if suffix != ".html" or trails or times is not None or qs is not None:
            raise FormatError(
                "animate: several motions in turn have times and q of their own, and are for a page without trails; give animate(motions, 'run.html')"
            )
        return str(page_in_sequence(model, path, camera, size, _moments(fps, most), look))
    model = model_of(model)
    times, qs = _checked(model, times, qs)
    moments = sampled(times, fps / (speed if suffix == ".gif" else 1.0), most)
    poses = interpolated(model, times, qs, moments)
    figure = look.figure(model, poses[0])
    stack, found = Stack(figure.pieces), forward_kinematics(model, poses)
    trails = [np.reshape(found.position(name), (-1, 3)) for name in _names(trails)]
    if camera is None:
        camera = fitted(figure, poses, size=size, also=trails)
    ground = floor_of(figure, poses, floor)
    if suffix == ".html":
        text = html_text([MovingFigure(figure, stack, moments, found)], look.view(checked_camera(camera), size, ground), trails)
        write(path, text.encode("utf-8"))
        return os.fspath(path)
    views = [look.view(checked_camera(camera(float(t)) if callable(camera) else camera), size, ground) for t in moments]

    def pictures() -> Iterator[Any]:
        for k, view in enumerate(views):
            yield marks_of(figure, stack, found.rotations[k], found.positions[k], view, [trail[: k + 1] for trail in trails])

    file = io.BytesIO()
    with _progress(f"drawing {os.path.basename(os.fspath(path))}", len(moments), quiet) as step:
        save_gif(pictures(), len(moments), size, 1.0 / fps, file, step)
    write(path, file.getvalue())
    return os.fspath(path)


def _moments(fps: Any, most: Any) -> Any:
    """A function (model, times, qs) -> tuple[moments, q at these]: steady ones, and the last time of all; no more than `most` altogether."""
    left = [most]

    def moments_of(model: Model, times: Any, qs: Any) -> Any:
        times, qs = _checked(model, times, qs)
        moments = sampled(times, fps, left[0])
        if moments[-1] < times[-1]:
            moments = np.append(moments, times[-1])
        left[0] = max(left[0] - len(moments), 1)
        return moments, interpolated(model, times, qs, moments)

    return moments_of


def _given(model: Any, times: Any, qs: Any, path: Any) -> Any:
    """What was meant: animate(model, times, qs, path), animate(recording, path), animate(recording, path=path), animate(motions, path)."""
    if isinstance(model, (list, tuple)) and path is None and isinstance(times, (str, os.PathLike)):
        return model, None, None, times
    if all(hasattr(model, name) for name in ("time", "q", "model")):
        if isinstance(times, (str, os.PathLike)) and path is None:
            times, path = None, times
        if times is not None or qs is not None:
            raise FormatError(
                "animate: a recording knows its times and q; give animate(recording, path) alone, or a model with times and qs"
            )
        times, qs, model = model.time, model.q, getattr(model, "mechanism", None) or model.model
    if path is None:
        raise FormatError(f"animate: no path is given; give a file name that ends in {' or '.join(SUFFIXES)}, after model, times and qs")
    return model, times, qs, path


def _checked(model: Model, times: Any, qs: Any) -> Any:
    if times is None or qs is None:
        raise StateError("animate: times and qs are needed: (n,) in s and (n, nq)", "times" if times is None else "qs")
    times = need_array("times", times, "times in s, one for each row of q")
    qs = configuration(model, qs, many=True)
    if times.ndim != 1 or len(times) != len(qs):
        raise StateError(f"times: shape {times.shape} with {len(qs)} rows of q; allowed is one time for each row; correct it", "times")
    if not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
        bad = int(np.argmax(~np.isfinite(times))) if not np.isfinite(times).all() else int(np.argmax(np.diff(times) <= 0.0)) + 1
        raise StateError(
            f"times: entry {bad} is {times[bad]:g} s; allowed are finite, increasing times; sort them, or leave it out", "times"
        )
    return times, qs


def _positive(name: str, value: Any) -> Any:
    value = number(value, "animate", name)
    if not 0.0 < value < np.inf:
        raise refuse("animate", name, value, "give a finite number above 0")
    return value


def sampled(times: Any, rate: Any, most: Any) -> Any:
    """Moments at a steady rate from the first time to the last, (n,)."""
    count = int(np.floor((times[-1] - times[0]) * rate * (1.0 + 1e-12))) + 1
    if count > most:
        raise FormatError(
            f"animate: {times[-1] - times[0]:g} s would be {count} frames; allowed are {most}; give a lower fps, a part of it, or a higher speed"
        )
    return times[0] + np.arange(count) / rate


def interpolated(model: Model, times: Any, qs: Any, moments: Any) -> Any:
    """q at other moments, along the joints' own manifolds: q_k moved by a share of the displacement to q_k+1."""
    if len(times) == 1:
        return np.repeat(qs, len(moments), axis=0)
    k = np.clip(np.searchsorted(times, moments, side="right") - 1, 0, len(times) - 2)
    share = np.clip((moments - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0)
    return integrate(model, qs[k], share[:, None] * difference(model, qs[k], qs[k + 1]))


def _progress(text: Any, count: Any, quiet: Any) -> Any:
    """A bar for long drawings, where someone looks: a context that gives a function to call after each frame."""
    from contextlib import contextmanager

    quiet = switch("LINKWORK_QUIET", False) if quiet is None else quiet

    @contextmanager
    def bar() -> Iterator[Any]:
        if quiet or count < LONG:
            yield lambda: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
            task = progress.add_task(text, total=count)
            yield lambda: progress.advance(task)

    return bar()


def _names(trails: Any) -> Any:
    """The names of what leaves a trail; one alone will do."""
    needed = "give a frame, a body, the name of one or a place, or a list of these"
    names = (trails,) if isinstance(trails, (str, Named, Place)) else sequence(trails, "animate", "trails", needed)
    if not all(isinstance(name, (str, Named, Place)) for name in names):
        raise refuse("animate", "trails", trails, needed)
    return names


# ---- GIF: frames of one palette, so that colours do not flicker

SAMPLES = 2
COLORS = 128


def save_gif(frames: Any, count: int, size: Any, seconds: float, file: Any, step: Any = lambda: None) -> None:
    """Write a GIF that repeats for ever. frames: an iterable of (marks, labels); seconds: how long each of the `count` frames is shown."""
    made = []
    for marks, labels in frames:
        made.append(image(marks, labels, size, SAMPLES))
        step()
    palette = _palette([made[k] for k in sorted({0, len(made) // 3, 2 * len(made) // 3, len(made) - 1})])
    flat = [frame.quantize(palette=palette, dither=0) for frame in made]
    # The format counts in hundredths of a second, and viewers slow down what is shorter than two.
    hundredths = max(round(100.0 * seconds), 2)
    flat[0].save(file, format="GIF", save_all=True, append_images=flat[1:], duration=10 * hundredths, loop=0, disposal=1, optimize=False)


def _palette(samples: list[Any]) -> Any:
    """The colours of some frames together."""
    from PIL import Image

    width, height = samples[0].size
    sheet = Image.new("RGB", (width, height * len(samples)))
    for k, sample in enumerate(samples):
        sheet.paste(sample, (0, k * height))
    return sheet.quantize(colors=COLORS, method=Image.Quantize.MEDIANCUT)
