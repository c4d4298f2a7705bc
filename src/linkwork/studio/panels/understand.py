"""What the mechanism can do and what goes on in it: freedoms, redundant constraints, singular poses; values of the selected part; the audit; the edits."""

import time as clock

import numpy as np

import linkwork as lw

from ..chart_data import number_text
from ..page_text import block, paragraph, table
from ..questions import Questions, case_of
from ..readings import has_reaction, reaction_rows, rows_of
from .panel import Panel

PAUSE = 1.0  # s between two looks at the mobility
QUIET = 0.5  # s after an edit before its freedoms are looked at
SELDOM = 20.0  # times as long as the answer takes
LONG = 2.0  # s: what takes longer is not worked out again after an edit while time runs, unless asked for
READ = 0.2  # s between two readings of the selected part
SHOWN_EDITS = 12
MOST_SETS = 3  # of redundant constraints that are told one by one


class UnderstandPanel(Panel):
    """Freedoms and what holds them."""

    tab = "Understand"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        gui = studio.gui
        self._asked, self._known = 0.0, None
        self._mobility = Questions(lambda model, case: lw.mobility(model, case.q, t=case.t), self._answered, QUIET)
        with folder:
            self.head = gui.add_html(paragraph("…", "quiet"))
            self.warnings = gui.add_html("", visible=False)
            studio.on(gui.add_button("Look again"), lambda _: studio.player.do(self._ask))
            with gui.add_folder("In full", expand_by_default=False):
                self.full = gui.add_html("")

    def changed(self, live):
        if not self.studio.player.playing or self._mobility.seconds <= LONG:
            self._ask(live)
        else:
            self.head.content = paragraph("Changed. Pause, or look again, to know its freedoms.", "quiet")
            self.warnings.visible = False

    def refresh(self, live):
        """The pose has changed: look again. While time runs, so seldom that the physics hardly notices."""
        pause = max(PAUSE, SELDOM * self._mobility.seconds) if self.studio.player.playing else PAUSE
        if self._mobility.busy or clock.monotonic() - self._asked < pause:
            return
        if self._known is None or self._known[0] is not live.mechanism or not np.array_equal(self._known[1], live.q):
            self._ask(live)

    def close(self):
        self._mobility.close()

    def _ask(self, live):
        self._asked, self._known = clock.monotonic(), (live.mechanism, live.q.copy())
        self._mobility.ask(case_of(live))

    def _answered(self, answer, case):
        if isinstance(answer, lw.LinkworkError):
            self.head.content, self.full.content = paragraph(answer, "bad"), ""
            return
        warnings = warnings_of(answer)
        self.warnings.content, self.warnings.visible = "".join(paragraph(text, tone) for text, tone in warnings), bool(warnings)
        self.full.content = block(answer)
        self.head.content = paragraph(freedoms_text(answer), "strong") + paragraph(f"at {case.t:.3f} s", "quiet")


def freedoms_text(mobility):
    """The first line: 1 degree of freedom."""
    driven = f"; it moves as {_listed(mobility.driven)} prescribe{'s' * (len(mobility.driven) == 1)}" if mobility.driven else ""
    return f"{mobility.dof} degree{'' if mobility.dof == 1 else 's'} of freedom{driven}"


def warnings_of(mobility):
    """(text, tone) of what should be known about a pose."""
    found = []
    if mobility.singular:
        ways = f"; it can go on in {len(mobility.branches)} ways" if len(mobility.branches) > 1 else ""
        found.append((f"Singular pose: {mobility.dof} freedoms here, {mobility.dof_generic} nearby{ways}", "bad"))
    if len(mobility.blocked):
        found.append(
            (f"{len(mobility.blocked)} motion{'s' * (len(mobility.blocked) > 1)} possible at first, then blocked: it is shaky", "bad")
        )
    found += [(f"Open: {name} by {number_text(gap)} m or rad", "bad") for name, gap in mobility.open_gaps.items()]
    found += [(str(contradiction), "bad") for contradiction in mobility.contradictions]
    sets = mobility.redundant_sets
    return found + ([(_redundant_text(entry), "plain") for entry in sets] if len(sets) <= MOST_SETS else [(_summed_up(sets), "plain")])


def _redundant_text(entry):
    around = _listed([name for name in entry.names if name not in entry.constraints])
    more = f": {around} hold the same already" if around else ""
    return f"Redundant: {entry.count} of the {entry.imposed} constraints of {_listed(entry.constraints)}{more}. Forces there are not unique"


def _summed_up(sets):
    """Many of them, as in a planar mechanism of hinges."""
    names = list(dict.fromkeys(name for entry in sets for name in entry.constraints))
    few = f"{_listed(names[:MOST_SETS])} and {len(names) - MOST_SETS} more" if len(names) > MOST_SETS else _listed(names)
    return (
        f"Redundant: {sum(entry.count for entry in sets)} constraints in {few} hold what others hold already. "
        "Forces there are not unique. In full, below, says which"
    )


def _listed(names):
    return ", ".join(repr(name) for name in names)


class ReadingsPanel(Panel):
    """Numbers of the selected part."""

    tab, title = "Understand", "Selected part"

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        self._read, self._shown, self._rows = 0.0, None, (None, [])
        with folder:
            self.values = studio.gui.add_html(paragraph("Click a part to read its values.", "quiet"))
        studio.reacting.on_answer(self._answered)

    def chosen(self, live):
        self._rows, self._shown = (None, []), None
        self._take(live)
        self._show(live)

    def changed(self, live):
        self._shown = None

    def refresh(self, live):
        now = clock.monotonic()
        if self.studio.selected is not None and now - self._read >= READ and self._shown != (id(live.mechanism), live.time):
            self._show(live)
        if self.studio.selected is not None and has_reaction(live.mechanism, self.studio.selected):
            self.studio.reacting.ask(live)

    def _answered(self, live):
        if self.studio.selected is not None:
            self._take(live)
            self._show(live)

    def _take(self, live):
        """Rows of what is known of the selected part's reaction. They stay until others are known, so that nothing flickers."""
        name, known = self.studio.selected, self.studio.reacting.known(live)
        if name is not None and known is not None:
            self._rows = name, reaction_rows(known.reactions, name)

    def _show(self, live):
        name = self.studio.selected
        self._read, self._shown = clock.monotonic(), (id(live.mechanism), live.time)
        if name is None:
            self.values.content = paragraph("Click a part to read its values.", "quiet")
            return
        rows = [*rows_of(live, name), *(self._rows[1] if self._rows[0] == name else [])]
        self.values.content = paragraph(name, "strong") + (table(rows) if rows else paragraph("nothing to read yet", "quiet"))


class AuditPanel(Panel):
    """The receipt of the run: energy, momentum, gaps."""

    tab, title, open = "Understand", "Audit", False

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        self._shown, self._read = None, 0.0
        with folder:
            self.text = studio.gui.add_html("")

    def changed(self, live):
        self._shown = None

    def refresh(self, live):
        now = live, live.time, live.last_edit
        if now != self._shown and clock.monotonic() - self._read >= PAUSE:
            self._shown, self._read = now, clock.monotonic()
            audit = live.audit
            self.text.content = table(audit_rows(audit)) + block(audit)


def audit_rows(audit):
    """What matters most of an audit: the rest is in the receipt."""
    run = audit.run
    rows = [
        ("energy", f"{number_text(run.kinetic_end, 'J')} kinetic, {number_text(run.potential_end, 'J')} potential"),
        ("unexplained", f"{number_text(run.numerical, 'J')} since {run.start:.3f} s: the method's own error"),
        ("lost by edits", number_text(audit.energy_lost, "J")),
    ]
    return [*rows, ("largest gap", number_text(run.gap.value, "m or rad"))] if run.gap is not None else rows


class EditsPanel(Panel):
    """What was done, and the energy that it took."""

    tab, title, open = "Understand", "Edits", False

    def __init__(self, studio, folder):
        super().__init__(studio, folder)
        with folder:
            self.text = studio.gui.add_html("")

    def changed(self, live):
        edits = live.edits
        if not edits:
            self.text.content = paragraph("Nothing was edited yet.", "quiet")
            return
        lost, put_in = (sum(max(sign * edit.energy_lost, 0.0) for edit in edits) for sign in (1.0, -1.0))
        driven = f", {number_text(put_in, 'J')} put in by drives" if put_in > 1e-12 else ""
        rows = [(f"{edit.time:.3f} s", f"{edit.words}{_taken(edit)}") for edit in reversed(edits[-SHOWN_EDITS:])]
        more = f", the last {SHOWN_EDITS} of them here" if len(edits) > SHOWN_EDITS else ""
        self.text.content = paragraph(
            f"{len(edits)} edits{more}; {number_text(lost, 'J')} lost by joining moving parts{driven}", "quiet"
        ) + table(rows)


def _taken(edit):
    energy = f"; {number_text(abs(edit.energy_lost), 'J')} {'lost' if edit.energy_lost > 0.0 else 'put in'}"
    lost = energy if abs(edit.energy_lost) > 1e-12 else ""
    return f"{lost}; moved by {number_text(edit.moved, 'm')}" if edit.moved > 1e-9 else lost
