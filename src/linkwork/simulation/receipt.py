"""The audit as a printed receipt: plain text, aligned, short enough for one screen."""

import math

MOST_FORCES = 5
MOST_WARNINGS = 3
WIDTH = 76
_NAME = 30
_BALANCED = 1e-3  # numerical energy beyond this share of the scale is worth a word


def receipt(audit) -> str:
    """The text that `print(audit)` shows; at most 40 lines."""
    rule = "-" * WIDTH
    span = f"{audit.start:.6g} s to {audit.end:.6g} s"
    lines = [f"{_clip('Receipt: ' + audit.model, WIDTH - len(span) - 2):<{WIDTH - len(span)}}{span}", rule]
    lines += [*_energies(audit), rule, *_works(audit), rule, *_measures(audit), rule, *_effort(audit)]
    if audit.contact is not None:
        lines += [rule, *audit.contact.lines()]
    lines += _warnings(audit)
    return "\n".join([*lines, rule, closing(audit)])


def closing(audit):
    """One line in words."""
    said = f"energy balanced to {_size(audit.relative)} of {_short(audit.scale)} J"
    if audit.scale <= audit.negligible and audit.largest_numerical <= audit.negligible:
        said = "no energy was in play"
    elif not audit.relative <= _BALANCED:
        said = (
            f"energy NOT balanced: {_short(audit.largest_numerical)} J of {_short(audit.scale)} J at {audit.largest_numerical_time:.6g} s"
        )
    loops = f"; loops closed within {_size(audit.gap.value)} m or rad" if audit.gap else "; no loops to close"
    warned = f"; {len(audit.warnings)} warning{'s' if len(audit.warnings) > 1 else ''}" if audit.warnings else ""
    return said + loops + warned


def _energies(a):
    rows = [("kinetic", a.kinetic_start, a.kinetic_end), ("potential (gravity)", a.potential_start, a.potential_end)]
    storing = [f for f in a.forces if f.stored_start or f.stored_end]
    rows += [(f"stored: {f.name}", f.stored_start, f.stored_end) for f in storing[:MOST_FORCES]]
    if rest := storing[MOST_FORCES:]:
        rows.append((f"stored: {len(rest)} more", sum(f.stored_start for f in rest), sum(f.stored_end for f in rest)))
    whole = tuple(sum(row[k] for row in rows) for k in (1, 2))
    lines = [_row("energy [J]", "start", "end", "change")]
    lines += [_row(name, _short(x), _short(y), _short(y - x)) for name, x, y in rows]
    return [*lines, _row("mechanical", _short(whole[0]), _short(whole[1]), _short(whole[1] - whole[0]))]


def _works(a):
    forces = sorted(a.forces, key=lambda f: -abs(f.work)) if len(a.forces) > MOST_FORCES else list(a.forces)
    rows = [(f.name, f.work, f.dissipated) for f in forces[:MOST_FORCES]]
    if rest := forces[MOST_FORCES:]:
        rows.append((f"{len(rest)} more forces", sum(f.work for f in rest), sum(f.dissipated for f in rest)))
    lines = [_row("work on the mechanism [J]", "work", "dissipated", "supplied")] if rows or a.drives or a.losses else []
    lines += [_row(name, _short(work), *_sides(lost)) for name, work, lost in rows]
    lines += [_row("drives", _short(a.drives), "", "")] if a.drives else []
    apart = a.contact.separation if a.contact else 0.0
    taken, name = a.losses - apart, "impacts and friction" if a.contact else "joining and impacts"
    lines += [_row(name, _short(-taken), _short(taken), "")] if taken else []
    lines += [_row("moving bodies apart", _short(-apart), *_sides(apart))] if apart else []
    largest = f"largest {_size(a.largest_numerical)} at {a.largest_numerical_time:.5g} s"
    return [*lines, f"{'numerical (unexplained) [J]':<{_NAME}}{_size(a.numerical):>14}  {largest:>{WIDTH - _NAME - 16}}"]


def _sides(dissipated):
    return ("", _short(-dissipated)) if dissipated < 0.0 else (_short(dissipated), "")


def _measures(a):
    lines = []
    if a.momentum_start is not None and a.momentum_end is not None:
        parts = (("linear momentum [kg m/s]", slice(3, 6)), ("angular, origin [kg m^2/s]", slice(0, 3)))
        for name, part in parts:
            x, y = a.momentum_start[part], a.momentum_end[part]
            lines.append(_row(name, _short(math.hypot(*x)), _short(math.hypot(*y)), _size(math.dist(x, y))))
        lines.insert(0, _row("momentum", "|start|", "|end|", "|change|"))
    for name, found, unit in (("largest gap", a.gap, "m or rad"), ("largest velocity gap", a.velocity_gap, "m/s or rad/s")):
        if found:
            where = (f"{_clip(found.name, 14)}, " if found.name else "") + f"{found.time:.5g} s"
            lines.append(f"{name:<{_NAME}}{_size(found.value) + ' ' + unit:>22}{where:>{WIDTH - _NAME - 22}}")
    return lines or ["no constraints, momentum not watched"]


def _effort(a):
    lines = [f"steps {a.steps}, rejected {a.rejections}, evaluations {a.evaluations}, samples {a.frames}"]
    if a.solves:
        most = f", {a.most_iterations} at most" if a.most_iterations else ""
        lines.append(f"Newton iterations {a.mean_iterations:.2f} on average{most}, in {a.solves} solves")
    took = f"{a.simulated_time:.6g} s of motion"
    return [*lines, f"{took} in {a.wall_time:.3g} s: {a.real_time_factor:.3g} x real time" if a.wall_time > 0.0 else took]


def _warnings(a):
    shown = [f"! {_clip(' '.join(text.split()), WIDTH - 2)}" for text in a.warnings[:MOST_WARNINGS]]
    more = len(a.warnings) - MOST_WARNINGS
    return [*shown, f"! and {more} more warning{'s' if more > 1 else ''}"] if more > 0 else shown


def _row(name, *cells):
    return f"{_clip(name, _NAME - 1):<{_NAME}}" + "".join(f"{cell:>{w}}" for cell, w in zip(cells, (14, 16, 16), strict=True))


def _clip(text, most):
    return text if len(text) <= most else text[: most - 3] + "..."


def _short(value):
    """Six digits: enough to see a balance by eye."""
    return f"{value + 0.0:.6g}"


def _size(value):
    """Two digits: the size of an error."""
    return f"{value + 0.0:.1e}" if value and math.isfinite(value) else f"{value + 0.0:g}"
