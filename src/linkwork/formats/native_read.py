"""A mechanism from plain data, as TOML gives them; the reverse of native_write. All faults are reported together, with their lines.

What is stated is taken as it is, as long as it has a meaning; whether the mechanism can be built is judged by build(). A place on a body that
is not there (yet) is such a case: it is noted, and refused only by strict reading.
"""

from ..errors import FormatError, ModelError
from ..parts import Mechanism
from ..parts.applied_force import EVERY
from ..parts.body import Body
from ..parts.registry import GROUND
from ..parts.touching import TouchRule
from ..validation import is_flag
from .native_kinds import CONSTRAINTS, FORCES, JOINTS, SHAPES, kind_from_table
from .native_numbers import RefusalError, decode_number, decode_numbers, inside
from .native_poses import place_from_value
from .native_report import dotted, found, unknown
from .native_values import surface_from_table
from .native_write import SECTIONS, VERSION

TOP = ("linkwork", "name", "gravity", "roots", "contact", "touch", "ignore", "surface", "ground", *SECTIONS)
BODY = ("shape", "density", "mass", "com", "inertia", "unphysical", "surface", "visuals", "collisions")
ON_GROUND = ("surface", "visuals", "collisions")


def mechanism_from_data(data, reading, others=()):
    """The Mechanism. `others`: keys at the top that other readers take. Faults go to the report; the caller raises them."""
    report = reading.report
    _check_version(data, report)
    for key in data:
        if key not in TOP and key not in others:
            report.unknown((key,), key, [*TOP, *others], "key at the top of a mechanism")
    mechanism = _named(data, report)
    _ground(mechanism, data, reading)
    _touching(mechanism, data, report)
    for section, read in READERS.items():
        for name, table in section_tables(data, section, report):
            _attempt(report, (section, name), read, mechanism, name, table, (section, name), reading)
    _check_names(data, report)
    _roots(mechanism, data, report)
    _note_places(mechanism, report)
    return mechanism


def section_tables(data, section, report):
    """(name, table) for all tables of a section such as [body.NAME]."""
    tables = data.get(section, {})
    if not isinstance(tables, dict):
        return report.fault((section,), f"found {found(tables)}; allowed are tables with names, such as [{section}.name]") or []
    for name, table in tables.items():
        if not isinstance(table, dict):
            report.fault((section, name), f"found {found(table)}; allowed is a table: [{section}.name] with its keys below")
        elif not name.strip():
            report.fault((section, name), f"the name of a {section} is empty; a name is text of at least one visible letter; give one")
    return [(name, table) for name, table in tables.items() if isinstance(table, dict) and name.strip()]


def _attempt(report, keys, read, *arguments):
    """Whatever a reader refuses is a fault at its place."""
    try:
        return read(*arguments)
    except RefusalError as refusal:
        report.fault((*keys, *refusal.args[0]), refusal.args[1])
    except ModelError as error:
        report.fault(keys, str(error))
    return None


def _check_version(data, report):
    version = data.get("linkwork")
    if version is None:
        report.fault((), f"it does not say that it is a mechanism; its first line is: linkwork = {VERSION}")
    elif type(version) is not int or version < 1:
        report.fault(("linkwork",), f"found {found(version)}; allowed is the version of the format, {VERSION}")
    elif version > VERSION:
        report.fault(("linkwork",), f"the file is of version {version} of the format; versions up to {VERSION} are read; update Linkwork")
        report.raise_faults()  # at once: other faults would mislead


def _named(data, report):
    mechanism = Mechanism()
    if "name" in data:
        if isinstance(data["name"], str) and data["name"].strip():
            mechanism.name = data["name"]
        else:
            report.fault(("name",), f"found {found(data['name'])}; allowed is text, in quotes")
    if "gravity" in data:
        gravity = _attempt(report, ("gravity",), decode_numbers, data["gravity"], 3)
        mechanism.gravity = gravity or mechanism.gravity
    return mechanism


def _ground(mechanism, data, reading):
    table = data.get("ground", {})
    if not isinstance(table, dict):
        return reading.report.fault((GROUND,), f"found {found(table)}; allowed is a table with {', '.join(ON_GROUND)}")
    for key in table:
        if key not in ON_GROUND:
            reading.report.unknown((GROUND, key), key, ON_GROUND, "key of ground")
    if "surface" in table:
        mechanism.ground._put(surface=_attempt(reading.report, (GROUND, "surface"), surface_from_table, table["surface"]))
    mechanism.ground._put(**{what: _shape_list(table, what, (GROUND,), reading) for what in ("visuals", "collisions")})
    return None


def _touching(mechanism, data, report):
    """What the file says about contact besides the shapes: contact, surface, touch, ignore."""
    if "contact" in data:
        if isinstance(data["contact"], bool):
            mechanism.contact = data["contact"]
        else:
            report.fault(
                ("contact",),
                f"found {found(data['contact'])}; allowed are true and false; without it, bodies touch if a floor or a surface is there",
            )
    if "surface" in data:
        mechanism.surface = _attempt(report, ("surface",), surface_from_table, data["surface"])
    line = {}
    for method in ("touch", "ignore"):
        rules = data.get(method, [])
        if not isinstance(rules, list):
            report.fault((method,), f"found {found(rules)}; {_RULE[method]}")
            continue
        for k, said in enumerate(rules):
            rule = _attempt(report, (method, k), _touch_rule, method, said)
            if rule is not None and rule.pair in line:
                report.fault(
                    (method, k),
                    f"{dotted(line[rule.pair])} says something about {rule.a!r} and {rule.b!r} already; a pair stands once; remove one",
                )
            elif rule is not None:
                line[rule.pair] = (method, k)
                mechanism._keep_rule(rule)


_RULE = {
    "touch": 'allowed is a list of pairs of bodies: ["a", "b"], or { a = "a", b = "b", surface = { friction = 0.3 } }',
    "ignore": 'allowed is a list of pairs of bodies: ["a", "b"]',
}


def _touch_rule(method, said):
    surface = None
    if isinstance(said, dict):
        for key in said:
            if key not in ("a", "b", "surface"):
                raise RefusalError((key,), unknown(key, ("a", "b", "surface"), f"key of {method}"))
        if "surface" in said:
            if method == "ignore":
                raise RefusalError(("surface",), "bodies that ignore each other have no surface; remove it")
            surface = inside("surface", surface_from_table, said["surface"])
        said = [said.get("a"), said.get("b")]
    if not isinstance(said, list) or len(said) != 2 or not all(isinstance(name, str) and name.strip() for name in said):
        raise RefusalError((), f"found {found(said)}; {_RULE[method]}")
    return TouchRule(said[0], said[1], method == "touch", surface)


def _body(mechanism, name, table, keys, reading):
    report, values = reading.report, {}
    for key in table:
        if key not in BODY:
            report.unknown((*keys, key), key, BODY, "key of a body")
    for key in ("density", "mass"):
        if key in table:
            values[key] = _attempt(report, (*keys, key), decode_number, table[key])
    if "com" in table:
        values["com"] = _attempt(report, (*keys, "com"), decode_numbers, table["com"], 3)
    if "inertia" in table:
        values["inertia"] = _attempt(report, (*keys, "inertia"), _tensor, table["inertia"])
    if "shape" in table:
        values["shape"] = _shape(table["shape"], (*keys, "shape"), reading)
    if "surface" in table:
        values["surface"] = _attempt(report, (*keys, "surface"), surface_from_table, table["surface"])
    if "unphysical" in table:
        values["unphysical"] = _flag(table, "unphysical", keys, report)
    for what in ("visuals", "collisions"):
        values[what] = _shape_list(table, what, keys, reading)
    mechanism.add_body(name, **values)


def _tensor(value):
    if isinstance(value, list) and len(value) == 3 and any(isinstance(row, list) for row in value):
        return [inside(k, decode_numbers, row, 3) for k, row in enumerate(value)]
    if isinstance(value, list) and len(value) in (3, 6):
        return decode_numbers(value)
    raise RefusalError(
        (), f"found {found(value)}; allowed are [xx, yy, zz], [xx, xy, xz, yy, yz, zz] or three rows of three, about the centre of mass"
    )


def _shape(value, keys, reading):
    if not isinstance(value, dict):
        return reading.report.fault(keys, f'found {found(value)}; allowed is a table such as {{ kind = "sphere", radius = 0.1 }}')
    return kind_from_table(value, SHAPES, keys, reading, "shape")


def _shape_list(table, what, keys, reading):
    shapes = table.get(what, [])
    if not isinstance(shapes, list):
        reading.report.fault((*keys, what), f"found {found(shapes)}; allowed is a list of shapes")
        return ()
    made = [_shape(shape, (*keys, what, k), reading) for k, shape in enumerate(shapes)]
    return tuple(shape for shape in made if shape is not None)


def _flag(table, key, keys, report):
    value = table.get(key, False)
    if not is_flag(value):
        report.fault((*keys, key), f"found {found(value)}; allowed are true and false")
    return value is True


def _frame(mechanism, name, table, keys, reading):
    mechanism.add_frame(name, place_from_value(table))


def _joint(mechanism, name, table, keys, reading):
    report = reading.report
    kind = kind_from_table(table, JOINTS, keys, reading, "joint", ("parent", "child", "prefer_cut"))
    cut = _flag(table, "prefer_cut", keys, report)
    places = []
    for side in ("parent", "child"):
        if side in table:
            places.append(_attempt(report, (*keys, side), place_from_value, table[side]))
        else:
            report.fault(keys, f'it has no {side}; give {side} = "name of a body", or "{GROUND}"')
    if kind is not None and len(places) == 2 and None not in places:
        mechanism.add_joint(name, kind, *places, prefer_cut=cut)


def _constraint(mechanism, name, table, keys, reading):
    kind, on = kind_and_places(table, keys, reading, CONSTRAINTS, "constraint")
    if kind is not None:
        mechanism.add_constraint(name, kind, *on)


def _force(mechanism, name, table, keys, reading):
    kind, on = kind_and_places(table, keys, reading, FORCES, "force", ("on",))
    active = _flag({"on": True, **table}, "on", keys, reading.report)
    if kind is not None:
        mechanism.add_force(name, kind, *on, on=active)


READERS = {"body": _body, "frame": _frame, "joint": _joint, "constraint": _constraint, "force": _force}  # one for each of SECTIONS


def kind_and_places(table, keys, reading, known, what, others=()):
    """(kind, places or joints) of a part of a kind on two places or on joints; (None, ()) with the faults reported."""
    report = reading.report
    kind = kind_from_table(table, known, keys, reading, what, ("a", "b", "joints", *others))
    if kind is None:
        return None, ()
    takes = ("joints",) if kind.takes == "joints" else ("a", "b")
    for key in ("a", "b", "joints"):
        if key in table and key not in takes:
            report.fault((*keys, key), f"the {what} {table['kind']!r} takes {' and '.join(takes)}, not {key}; remove it")
            return None, ()
    if takes[0] not in table:
        report.fault(keys, f"it has no {takes[0]}; the {what} {table['kind']!r} takes {' and '.join(takes)}; give them")
        return None, ()
    if takes == ("joints",):
        on = _attempt(report, (*keys, "joints"), _joints, table["joints"], EVERY if what == "force" else 0)
        return (kind, on) if on is not None else (None, ())
    places = [_attempt(report, (*keys, side), place_from_value, table[side]) for side in takes if side in table]
    return (kind, places) if None not in places else (None, ())


def _joints(value, meant):
    """[("crank", 0), ("ball", 1)] from ["crank", ["ball", 1]]; one joint may stand without the brackets. `meant`: what a name alone means."""
    allowed = 'allowed is a list of joints, each "name", or ["name", 1] for its second degree of freedom'
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list):
        raise RefusalError((), f"found {found(value)}; {allowed}")
    on = [tuple(entry) if isinstance(entry, list) and len(entry) == 2 else (entry, meant) for entry in entries]
    for k, (name, dof) in enumerate(on):
        if not isinstance(name, str) or not name.strip() or type(dof) is not int:
            raise RefusalError((k,), f"found {found(entries[k])}; {allowed}")
    return on


def _check_names(data, report):
    """A name is used once in a mechanism, whatever the part."""
    first = {GROUND: (GROUND,)}
    for section in SECTIONS:
        for name in data.get(section, {}) if isinstance(data.get(section), dict) else ():
            if name in first:
                before = first[name]
                line = report.line(before) if before != (GROUND,) else None
                where = f" (line {line})" if line else ", which is always there"
                report.fault(
                    (section, name), f"there is already {dotted(before)}{where}; a name is used once in a mechanism; rename one of them"
                )
            first.setdefault(name, (section, name))


def _roots(mechanism, data, report):
    roots = data.get("roots", [])
    bodies = [body.name for body in mechanism.bodies]
    if not isinstance(roots, list) or any(not isinstance(root, str) for root in roots) or len(set(roots)) < len(roots):
        return report.fault(
            ("roots",), f"found {found(roots)}; allowed is a list of different bodies that carry the free joint of their assembly"
        )
    for k, root in enumerate(roots):
        if root not in bodies and root not in data.get("body", {}):
            report.unknown(("roots", k), root, bodies, "body")
    mechanism._roots = list(roots)
    return None


def _note_places(mechanism, report):
    """Parts that stand on something that is not in the file."""
    registry = mechanism._registry
    known = [GROUND, *(part.name for part in (*mechanism.bodies, *mechanism.frames))]
    held, joints = set(known), {joint.name for joint in mechanism.joints}
    places = [(("frame", part.name, "on"), part.place) for part in registry.frames]
    places += [(("joint", part.name, side), getattr(part, side)) for part in registry.joints for side in ("parent", "child")]
    places += [((part.role, part.name, side), getattr(part, side)) for part in registry.acting() for side in ("a", "b")]
    for keys, place in places:
        if place is not None and place.part not in held:
            report.note(keys, report.no_such(place.part, known, "body or frame"))
    bodies = [GROUND, *(part.name for part in mechanism.bodies)]
    counts = {True: 0, False: 0}
    for rule in mechanism.touch_rules:
        for name in (rule.a, rule.b):
            if name not in registry._named or not registry.called(name, Body):
                report.note(("touch" if rule.touches else "ignore", counts[rule.touches]), report.no_such(name, bodies, "body"))
        counts[rule.touches] += 1
    for part in registry.acting():
        for joint, _ in part.joints:
            if joint not in joints:
                report.note((part.role, part.name, "joints"), report.no_such(joint, list(joints), "joint"))


def refuse_options(path, options):
    """Options of other formats mean nothing here."""
    for option, (given, default) in options.items():
        if given != default:
            raise FormatError(
                f"{path}: {option}={given!r} is for URDF files; a mechanism in TOML says itself what it is; leave it out", path=path
            )
