"""Several mechanisms in one replay, one after the other: what a mechanism was before and after parts were added or taken away."""

import os

import numpy as np

from ..dynamics.kinematics import forward_kinematics
from ..errors import FormatError, StateError
from .figure import model_of
from .fit import extent, fitted
from .html import html_text
from .look import MovingFigure, floor_of
from .picture import write
from .show import checked_camera
from .stack import Stack


def page_in_sequence(motions, path, camera, size, moments_of, look):
    """Write the page. motions: (mechanism or model, times, qs), each begins where the one before ends. moments_of(model, times, qs) gives moments
    and q at these. camera: None for one that sees all. look: a Look.
    """
    scenes, last = [], -np.inf
    for motion in motions:
        if not isinstance(motion, (list, tuple)) or len(motion) != 3:
            raise FormatError(f"animate: found {motion!r:.80} among motions; allowed are (mechanism, times, qs), one after the other")
        model = model_of(motion[0])
        moments, qs = moments_of(model, *motion[1:])
        if moments[0] < last:
            raise StateError(f"times: a motion begins at {moments[0]:g} s, before the one before it ends at {last:g} s; sort them", "times")
        last = moments[-1]
        figure = look.figure(model, qs[0])
        scenes.append((figure, qs, MovingFigure(figure, Stack(figure.pieces), moments, forward_kinematics(model, qs))))
    if not scenes:
        raise FormatError("animate: there are no motions; allowed is a list of (mechanism, times, qs); give one at least")
    largest = max(scenes, key=lambda scene: scene[0].size)
    if camera is None:
        others = [extent(figure, qs) for figure, qs, _ in scenes if figure is not largest[0]]
        camera = fitted(largest[0], largest[1], size=size, also=others)
    floors = [floor for figure, qs, _ in scenes if (floor := floor_of(figure, qs, look.floor)) is not None]
    floor = (*floor_of(largest[0], largest[1], look.floor)[:2], min(floor[2] for floor in floors)) if floors else None
    text = html_text([motion for *_, motion in scenes], look.view(checked_camera(camera), size, floor))
    write(path, text.encode("utf-8"))
    return os.fspath(path)
