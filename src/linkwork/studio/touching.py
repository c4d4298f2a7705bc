"""Contact as people ask for it on the page: a floor, whether bodies touch at all, how rough and how elastic they are."""

import dataclasses

import linkwork as lw

AS_DECLARED, ALWAYS, NEVER = "as declared", "always", "never"
MODES = {AS_DECLARED: None, ALWAYS: True, NEVER: False}
RANGES = {"friction": (0.0, 1.5), "restitution": (0.0, 1.0)}  # of sliders
STEP = 0.01
FAR = 1e6  # m: how far below a floor may be looked for
MOST_PAIRS = 3000  # of which the lowest point is looked for shape by shape


def surface_of(mechanism, body=None) -> lw.Surface:
    """What holds for a body whose shapes say nothing, or for the mechanism."""
    for found in (None if body is None else mechanism.body(body).surface, mechanism.surface):
        if found is not None:
            return found
    return lw.Surface()


def change_surface(live, body, field, value):
    """Friction or restitution of a body, or of the mechanism if body is None, as a slider draws it: many changes, one to undo."""
    changed = dataclasses.replace(surface_of(live.mechanism, body), **{field: value})
    together = ("slider", body or "", field)
    if body is None:
        return live.change_surface(changed, together=together)
    return live.change(body, surface=changed, together=together)


def change_mode(live, mode):
    """One of MODES."""
    with_contact(live, lambda: live.change_contact(MODES[mode]))


def floors_of(mechanism) -> list[lw.Floor]:
    return [shape for shape in mechanism.ground.collisions if isinstance(shape, lw.Floor)]


def add_floor(live, height=None):
    """A level floor; by default at 0, or below the lowest body. What is below it is lifted (live/separation.py)."""
    height = min(0.0, lowest(live)) if height is None else height
    with_contact(live, lambda: live.add_floor(round(height, 9)))


def lowest(live) -> float:
    """z of the lowest point of all shapes that would touch a floor, m; 0 if there are none."""
    m = live.mechanism.clone()
    m.contact = True
    m.change("ground", collisions=[lw.Floor()])
    model = m.build()
    if not model.touches or len(model.pairs) > MOST_PAIRS:
        return min((float(pose.translation[2]) for pose in live.poses().values()), default=0.0)
    ground = {shape.name for shape in model.shapes if shape.body == "ground"}
    return min((touch.gap for touch in lw.contacts(model, live.q, reach=FAR) if touch.a in ground), default=0.0)


def with_contact(live, edit):
    """Call an edit by which bodies may touch. If a method was chosen that does not let bodies touch, ContactStepping takes its place; if the edit is refused
    nevertheless, the method is as it was."""
    before = live.integrator
    try:
        return edit()
    except lw.ModelError as error:
        if before.takes_contact or not str(error).startswith("integrator: "):
            raise
    step = getattr(before, "step", None)
    live.integrator = lw.ContactStepping(**({"step": step} if step else {}))
    try:
        return edit()
    except lw.LinkworkError:
        live.integrator = before
        raise


def words_of(live) -> str:
    """How it stands with contact, in a line."""
    mechanism, model = live.mechanism, live.model
    if not model.touches:
        why = {
            False: "contact is switched off",
            True: "no two shapes could",
            None: "nothing of contact is declared: add a floor, or choose 'always'",
        }
        return f"Bodies do not touch: {why[mechanism.contact]}."
    floors = [f"{floor.plane.translation[2]:g} m" for floor in floors_of(mechanism)]
    floor = f"; floor at {', '.join(floors)}" if floors else ""
    pressing = len(live.touching().pairs)
    return f"{len(model.pairs)} pairs of shapes may touch{floor}; {pressing} points press now."
