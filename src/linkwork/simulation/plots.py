"""Plots of recordings with matplotlib: panels one above the other that share the axis of time. No window is opened unless show=True.

A figure is made without pyplot, so that no display is needed, nothing stays behind, and threads may plot. A panel with many curves names those
that move most, in colours that people with colour blindness tell apart (Okabe & Ito 2008); the others are grey.
"""

import numpy as np

from ..errors import FormatError, StateError
from .plot_panels import panels_for
from .writing import as_path, replacing

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C564B", "#7F7FBF")
GREY, STRONG = "#BBBBBB", "#222222"
NAMED = len(COLOURS)  # curves of a panel that get a colour and a name
WIDTH, HEIGHT, TOP = 9.0, 2.1, 0.9  # of the figure and of a panel, inches
MOST_PANELS = 16
_QUANTITIES = {"q": "position", "v": "velocity", "vdot": "acceleration", "tau": "joint force", "solver_time": "solver time per sample"}


def plot(recording, names=(), path=None, title=None, show=False):
    """The figure of some names (see `Recording`), or of an overview. path: save it, the suffix tells the format. show: open a window."""
    if not len(recording):
        raise StateError("plot: this recording has no samples; run the simulation first", "recording")
    panels = panels_for(recording, names)
    if not panels:
        raise StateError(f"plot: {', '.join(map(repr, names)) or 'the recording'} has no columns to show", "names")
    if len(panels) > MOST_PANELS:
        raise StateError(f"plot: {len(panels)} panels are too many for one figure; allowed are {MOST_PANELS}; give fewer names", "names")
    figure = _new_figure(len(panels), show)
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for ax, panel in zip(axes, panels, strict=True):
        _draw(ax, recording.time, panel)
    figure.align_ylabels(axes)
    axes[-1].set_xlabel("time [s]")
    figure.suptitle(_safe(title or _title(recording)), x=0.01, ha="left", fontsize=12, fontweight="bold")
    if path is not None:
        _save(figure, path)
    if show:
        from matplotlib import pyplot

        pyplot.show()
    return figure


def _new_figure(panels, show):
    size = (WIDTH, TOP + HEIGHT * panels)
    if show:
        from matplotlib import pyplot

        return pyplot.figure(figsize=size, layout="constrained")
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def _draw(ax, time, panel):
    named, others = _most_moving(panel)
    values = (lambda y: np.where(y > 0.0, y, np.nan)) if panel.log else (lambda y: y)
    style = {"linewidth": 1.5, "solid_capstyle": "round", "marker": "o" if len(time) == 1 else ""}
    handles, labels = [], []
    for _, y in others:
        (grey,) = ax.plot(time, values(y), **style | {"color": GREY, "linewidth": 0.8})
    colours = iter(COLOURS)
    for label, y in named:
        strong = label == panel.strong
        (line,) = ax.plot(time, values(y), color=STRONG if strong else next(colours), zorder=3 if strong else 2.5, **style)
        if panel.steps:
            line.set_drawstyle("steps-pre")
        handles.append(line)
        labels.append(_safe(label, 30))
    if others:
        handles.append(grey)
        labels.append(f"{len(others)} more")
    if panel.log:
        ax.set_yscale("log")
    quantity = _QUANTITIES.get(panel.title, panel.title)
    ax.set_ylabel("quaternion" if panel.unit == "1" else f"[{panel.unit}]".replace("^2", "²") if panel.unit else "")
    ax.set_title(_safe(quantity), loc="left", fontsize=10)
    ax.grid(True, color="#E6E6E6", linewidth=0.7)
    ax.set_axisbelow(True)
    ax.margins(x=0.01)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if not panel.log:
        ax.ticklabel_format(axis="y", style="sci", scilimits=(-4, 5), useMathText=True)
    _keep_flat_curves_flat(ax, panel)
    if len(panel.curves) > 1 or panel.curves[0][0] != panel.title:
        _name(ax, handles, labels)


def _name(ax, handles, labels):
    """The legend, beside the panel: it never hides a curve."""
    ax.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=9, borderaxespad=0.0, handlelength=1.4)


def _most_moving(panel):
    """The curves to be named, in their order, and the others: those that move least, if there are too many."""
    room = NAMED + bool(panel.strong)
    if len(panel.curves) <= room:
        return panel.curves, []
    span = [np.inf if label == panel.strong else _span(y) for label, y in panel.curves]
    chosen = set(np.argsort(span, kind="stable")[::-1][:room].tolist())
    return [c for k, c in enumerate(panel.curves) if k in chosen], [c for k, c in enumerate(panel.curves) if k not in chosen]


def _span(y):
    finite = np.asarray(y, dtype=float)[np.isfinite(y)]
    return float(np.ptp(finite)) if len(finite) else 0.0


def _keep_flat_curves_flat(ax, panel):
    """A constant curve is drawn as one: rounding of 1e-16 is not blown up to the height of the panel."""
    largest = max((float(np.max(np.abs(y[np.isfinite(y)]), initial=0.0)) for _, y in panel.curves), default=0.0)
    spread = max((_span(y) for _, y in panel.curves), default=0.0)
    low, high = ax.get_ylim()
    if not panel.log and largest > 0.0 and high - low < 1e-9 * largest and spread < 1e-9 * largest:
        ax.set_ylim(low - 0.05 * largest, high + 0.05 * largest)


def _title(recording):
    ended = "" if recording.status == "finished" else f"   ({recording.status.word})"
    return f"{recording.layout.model}{ended}"


def _safe(text, most=90):
    """Text as it is: matplotlib would read $ as mathematics and hide labels that begin with an underscore."""
    text = " ".join(str(text).split())
    text = text if len(text) <= most else text[: most - 3] + "..."
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def _save(figure, path):
    path = as_path(path)
    known = figure.canvas.get_supported_filetypes()
    kind = path.suffix[1:].lower()
    if kind not in known:
        raise FormatError(
            f"{path}: no picture format is known for the suffix {path.suffix!r}; allowed are {', '.join(sorted(known))}", str(path)
        )
    with replacing(path) as file:
        figure.savefig(file, format=kind, dpi=130)
