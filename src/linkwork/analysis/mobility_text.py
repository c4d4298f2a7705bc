"""A mobility report in words."""

from .report_text import coordinates, counted, listed, motion_text, short

MOST = 6  # motions and sets that are told one by one


def mobility_text(r):
    """What `print(report)` shows."""
    lines = [f"Mobility of {r.model.name!r}: {_headline(r)}"]
    lines += _counts(r)
    if r.open_gaps:
        gaps = ", ".join(f"{name!r} by {short(gap)}" for name, gap in list(r.open_gaps.items())[:MOST])
        lines.append(f"not closed here: {gaps} (m or rad); all that is said below is of this open pose: close it first, with lw.assemble")
    lines += _some("redundant", r.redundant_sets)
    lines += _some("nearly redundant", r.nearly_redundant)
    lines += _some("contradictory", r.contradictions)
    names = coordinates(r.model)
    lines += _motions("motions left (as rates of joints)", r.motions, names)
    lines += _singular(r, names)
    return "\n".join(lines)


def _headline(r):
    here = counted(r.dof, "degree", "degrees") + " of freedom here"
    if r.dof == 0:
        return f"{here}: it moves as {listed(r.driven)} prescribe{'s' * (len(r.driven) == 1)}" if r.driven else f"{here}: nothing can move"
    if r.open_gaps:
        return f"{here}, in an open pose"
    if r.singular and r.dof_generic == 0:
        return f"{here}, at first order only: no other pose can be reached (a singular pose)"
    return f"{here}, {r.dof_generic} at a generic pose" + (" nearby: a singular pose" if r.singular else "")


def _counts(r):
    if not r.model.constraints:
        return ["no loops and no constraints: every joint moves by itself"]
    loops = [c.name for c in r.model.constraints if c.is_loop]
    others = [c.name for c in r.model.constraints if not c.is_loop]
    by = " and ".join(
        f"{one if len(group) == 1 else many} {listed(group)}"
        for group, one, many in ((loops, "the loop closed by", "the loops closed by"), (others, "constraint", "constraints"))
        if group
    )
    return [
        f"{counted(r.freedoms, 'freedom')} of the tree, {counted(r.imposed, 'constraint')} imposed by {by}: counting gives {r.counted}",
        f"{r.independent} of these {'is' if r.independent == 1 else 'are'} independent, {r.redundant} redundant",
    ]


def _some(word, items):
    lines = [f"{word}: {item}" for item in items[:MOST]]
    return lines + ([f"{word}: {counted(len(items) - MOST, 'more set')}"] if len(items) > MOST else [])


def _motions(title, motions, names):
    if not len(motions):
        return []
    lines = [f"{title}:", *(f"  {k + 1}: {motion_text(names, rates)}" for k, rates in enumerate(motions[:MOST]))]
    return lines + ([f"  and {len(motions) - MOST} more"] if len(motions) > MOST else [])


def _singular(r, names):
    lines = []
    if r.singular and (len(r.branches) or r.branches_curved):
        many = "a whole surface of motions" + (", among them" if r.branches else "")
        lines.append(f"from here it can go on along {many if r.branches_curved else counted(len(r.branches), 'branch', 'branches')}:")
        for k, piece in enumerate(r.branches[:MOST]):
            lines += [
                f"  {'branch ' + str(k + 1) if i == 0 else '    and'}: {motion_text(names, rates)}" for i, rates in enumerate(piece[:3])
            ]
    if len(r.blocked):
        lines += _motions("possible at first order only, they cannot go on", r.blocked, names)
    return lines
