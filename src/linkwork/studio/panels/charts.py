"""Charts of any signal over time, a number beside each curve."""

import contextlib
import html

import numpy as np

import linkwork as lw

from ..chart_data import aligned, number_text, power_for, thinned, unit_text
from ..page_text import STYLE, paragraph
from .panel import Panel

COLOURS = ("#1c6dd0", "#d9480f", "#2b8a3e", "#9c36b5", "#b08900", "#0b7285")
READY = {"Energy": ("energy kinetic", "energy potential", "energy total"), "Gap": ("gap",), "Hand": ("hand",)}
MOST_CHARTS = 12
MOST_CURVES = len(COLOURS)
MOST_OFFERED = 200  # signals in the list; more are found by typing
HEIGHT = 150  # px


class ChartsPanel(Panel):
    """Pick a signal by typing a piece of its name, and see it over time."""

    tab = "Charts"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui, on = studio.gui, studio.on
        self.charts: list[Chart] = []
        self._live, self._signals = None, {}
        with folder:
            self.ready = on(gui.add_button_group("Ready", tuple(READY)), lambda e: self.add(READY[e.target.value], e.client))
            self.find = on(gui.add_text("Find", "", hint="a piece of a signal's name, or of a part's"), lambda _: self._offer())
            self.signal = gui.add_dropdown("Signal", ("–",))
            self.put = on(gui.add_button_group("Chart", ("New", "Into the last")), self._picked)
            self.more = gui.add_folder("Distance", expand_by_default=False)
            with self.more:
                self.a, self.b = gui.add_dropdown("From", ("–",)), gui.add_dropdown("To", ("–",))
                on(gui.add_button("Chart the distance"), self._apart)
            self.window = gui.add_slider("Window", 1.0, 120.0, 1.0, 10.0, hint="s of motion that charts show")
            self.empty = gui.add_html(paragraph("No charts yet. Pick a signal above.", "quiet"))
            self.place = gui.add_folder(None)

    # ------------------------------------------------------------------ what people do

    def add(self, names, client=None):
        """A chart of these signals. Returns a Future of the Chart."""
        return self.studio.act(self._add, tuple(names), client=client)

    def add_to(self, chart, name, client=None):
        """One more curve in a chart."""
        return self.studio.act(self._extend, chart, name, client=client)

    def remove(self, chart):
        """Take a chart away; signals that no chart shows are watched no more."""
        return self.studio.player.do(self._remove, chart)

    def _picked(self, event):
        name = self._named(self.signal.value)
        if name is None:
            self.studio.tell(
                "chart: no signal is picked; type a piece of its name, and choose it from the list", error=True, client=event.client
            )
        elif event.target.value == "New" or not self.charts:
            self.add((name,), event.client)
        else:
            self.add_to(self.charts[-1], name, event.client)

    def _apart(self, event):
        self.add((f"distance {self.a.value} | {self.b.value}",), event.client)

    # ------------------------------------------------------------------ in the physics thread

    def _add(self, live, names):
        if len(self.charts) >= MOST_CHARTS:
            raise lw.StudioError(f"chart: there are {MOST_CHARTS} already, which are as many as a page can show; remove one first")
        self._watch(live, names)
        chart = Chart(self, names, [self._unit(name) for name in names])
        self.charts.append(chart)
        self.empty.visible = False
        chart.refresh(live, self.window.value)
        return chart

    def _extend(self, live, chart, name):
        if name in chart.names:
            return
        if len(chart.names) >= MOST_CURVES:
            raise lw.StudioError(f"chart: it has {MOST_CURVES} curves, which are as many as can be told apart; make a new one")
        if chart not in self.charts:
            return
        self._watch(live, (name,))
        chart.show((*chart.names, name), [*chart.units, self._unit(name)])
        chart.refresh(live, self.window.value)

    def _watch(self, live, names):
        for name in names:
            if name not in live.watched.values:
                live.watch(name)

    def _remove(self, live, chart):
        if chart in self.charts:
            self.charts.remove(chart)
            chart.close()
        shown = {name for chart in self.charts for name in chart.names}
        for name in set(live.watched.values) & set(chart.names) - shown:
            live.unwatch(name)
        self.empty.visible = not self.charts

    def changed(self, live):
        self._signals = {signal.name: signal.unit for signal in live.signals}
        if live is not self._live:
            self._live = live
            for name in {name for chart in self.charts for name in chart.names}:
                try:
                    live.watch(name)
                except lw.LinkworkError:  # this mechanism has none of that name: its curve is empty
                    continue
        places = tuple(part.name for part in (*live.mechanism.bodies, *live.mechanism.frames)) or ("–",)
        for handle in (self.a, self.b):
            _offer(handle, places)
        self._offer()

    def chosen(self, live):
        self._offer()

    def refresh(self, live):
        for chart in self.charts:
            chart.refresh(live, self.window.value)

    # ------------------------------------------------------------------ inside

    def _unit(self, name):
        return self._signals.get(name, "m" if name.startswith("distance ") else "")

    def _offer(self):
        """The signals that fit what was typed; those of the selected part first."""
        words, chosen = self.find.value.lower().split(), self.studio.selected
        fitting = [name for name in self._signals if all(word in name.lower() for word in words)]
        of_chosen = [name for name in fitting if chosen is not None and chosen in (rest := name.partition(" ")[2], rest.rpartition(" ")[0])]
        others = [name for name in fitting if name not in set(of_chosen)]
        offered = [f"{name}  [{self._signals[name]}]" for name in (*of_chosen, *others)[:MOST_OFFERED]]
        _offer(self.signal, tuple(offered) or ("–",), first=bool(words or of_chosen))

    def _named(self, offered):
        name = str(offered).rpartition("  [")[0]
        return name if name in self._signals else None


class Chart:
    """One chart: curves of some signals, their latest numbers, and a button to take it away."""

    def __init__(self, panel, names, units):
        self.panel, self.names, self.units = panel, (), []
        self._shown, self._plot, self._drawn = None, None, None
        gui = panel.studio.gui
        with panel.place:
            self.folder = gui.add_folder(None)
        with self.folder:
            self.numbers = gui.add_html("", order=0.0)
            self.gone = panel.studio.on(gui.add_button_group("", ("Remove",), order=2.0), lambda _: panel.remove(self))
        self.show(tuple(names), units)

    def show(self, names, units):
        self.names, self.units, self._powers = names, list(units), [0] * len(names)
        self._shown = None

    def close(self):
        self.folder.remove()

    def refresh(self, live, window):
        """Send curves and numbers, if there is anything new."""
        now = live.time, tuple(len(live.watched.values.get(name, ())) for name in self.names), window, self.names
        if now == self._shown:
            return
        self._shown = now
        histories = [self._history(live, name, window) for name in self.names]
        times, values = thinned(*aligned(histories))
        latest = [float(y[-1]) if len(y) else None for _, y in histories]
        powers = self._power(values)
        self.numbers.content = self._text(latest)
        data = tuple(
            np.ascontiguousarray(x, dtype=np.float64) for x in (times, *(y / 10.0**p for y, p in zip(values, powers, strict=True)))
        )
        looks = self._looks(powers)
        if self._plot is None:
            with self.folder:
                self._plot = self._first(data, looks)
        elif looks != self._drawn:
            # All at once: curves, their axes and their numbers belong together.
            with self.panel.studio.server.atomic():
                self._plot.series, self._plot.scales, self._plot.axes = looks
                self._plot.data = data if len(times) else tuple(np.zeros(1) for _ in data)
        else:
            self._plot.data = data if len(times) else tuple(np.zeros(1) for _ in data)
        self._powers, self._drawn = powers, looks

    def _history(self, live, name, window):
        """(times, values); of a signal that has none, as after a reset or before time runs, what it is now."""
        times, values = live.watched.history(name, live.time - window)
        if not len(times) and name in live.watched.values:
            with contextlib.suppress(lw.LinkworkError, ArithmeticError):
                return np.array([live.time]), np.array([live.read(name)])
        return times, values

    def _power(self, values):
        """Powers of ten for the curves: one for all of the same unit, which share an axis."""
        found = {}
        for unit in set(self.units):
            sizes = [float(np.nanmax(np.abs(y))) for y, own in zip(values, self.units, strict=True) if own == unit and len(y)]
            before = next(power for power, own in zip(self._powers, self.units, strict=True) if own == unit)
            found[unit] = power_for(max(sizes, default=0.0), before)
        return [found[unit] for unit in self.units]

    def _first(self, data, looks):
        series, scales, axes = looks
        data = data if len(data[0]) else tuple(np.zeros(1) for _ in data)
        look = {"height": HEIGHT, "legend": {"show": False}, "padding": (8, 8, 0, 0), "order": 1.0}
        return self.panel.studio.gui.add_uplot(data, series, scales=scales, axes=axes, **look)

    def _looks(self, powers):
        """(series, scales, axes): a curve a signal, an axis a unit."""
        units = sorted(set(self.units))
        labels = [f"{name} [{unit_text(unit, power)}]" for name, unit, power in zip(self.names, self.units, powers, strict=True)]
        series = [{"label": "t [s]"}] + [
            {"label": label, "stroke": colour, "width": 1.5, "scale": f"y{units.index(unit)}", "points": {"show": False}}
            for label, colour, unit in zip(labels, COLOURS, self.units, strict=False)
        ]
        axes = [{"size": 30}]
        for k, unit in enumerate(units):
            label = unit_text(unit, powers[self.units.index(unit)])
            axes.append(
                {"scale": f"y{k}", "side": 3 if k == 0 else 1, "size": 52, "label": label, "labelSize": 16, "grid": {"show": k == 0}}
            )
        scales = {"x": {"time": False}} | {f"y{k}": {"auto": True} for k in range(len(units))}
        return tuple(series), scales, tuple(axes)

    def _text(self, latest):
        rows = [
            f'<div style="display:flex;gap:0.5em"><span style="color:{colour};font-weight:600">{html.escape(name)}</span>'
            f'<span style="margin-left:auto;white-space:nowrap">{html.escape(number_text(value, unit))}</span></div>'
            for name, unit, value, colour in zip(self.names, self.units, latest, COLOURS, strict=False)
        ]
        return f'<div style="{STYLE}">{"".join(rows)}</div>'


def _offer(handle, options, first=False):
    """Give a list other options; what was chosen stays chosen if it is still there. first: choose the first if it is not."""
    if handle.options != options:
        chosen = handle.value
        handle.options = options
        if chosen in options:
            handle.value = chosen
        elif first:
            handle.value = options[0]
