"""Changes to a text that a person wrote: what has changed in the data is changed in the text, all else stays as it is.

Two plain data are compared, unit by unit and key by key: what the text means now, and what it should mean. A changed key is set in the text
where it stands (tomlkit keeps its comment and all formatting); a part that is new gets a table after the last of its kind; one that is
gone takes the comments directly above it along. Then the new text is read: should it not mean what it should, the units that differ are
written anew. So nothing is ever lost but comments.
"""

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, InlineTable

from ..errors import FormatError
from .native_poses import ROTATION_KEYS
from .native_setup import renamed_coordinates
from .native_sheet import Sheet, with_renamed
from .native_text import NAMED, units_of, value_text
from .native_values import TIME_FUNCTION_KEYS

# Keys of which one form replaces another: a rotation that is changed may stand as rpy and be said as a quaternion.
GROUPS = (set(ROTATION_KEYS), set(TIME_FUNCTION_KEYS))


def edited(text, before, after, renamed, meaning):
    """The text, changed so that meaning(text), its plain data, is `after`; it was `before`. renamed: {(section, old name): new name}."""
    if same(before, after) and not renamed and not any(_order(before, section) != _order(after, section) for section in NAMED):
        return text
    sheet = Sheet(with_renamed(text, renamed))
    old, new = units_of(_with_renamed_units(before, renamed)), units_of(after)
    loose = [unit for unit in renamed if (unit[0], renamed[unit]) in new and not sheet.owned((unit[0], renamed[unit]))]
    for unit in [*loose, *(unit for unit in old if unit not in new)]:
        sheet.remove(unit)
    for unit, table in new.items():
        if unit not in old or unit in [(section, renamed[section, name]) for section, name in loose]:
            sheet.add(unit, table)
        elif not same(old[unit], table):
            _change(sheet, unit, old[unit], table)
    _change_top(sheet, before, after)
    _arrange(sheet, after)
    return _proven(sheet, after, meaning)


def _with_renamed_units(data, renamed):
    """Plain data as with_renamed makes them of the text."""
    coordinates = {(what, old): new for what, old, new in renamed_coordinates(renamed)}
    data = {
        section: {renamed.get((section, name), name): table for name, table in tables.items()} if section in NAMED else tables
        for section, tables in data.items()
    }
    if "initial" in data:
        data["initial"] = {
            what: {coordinates.get((what, name), name): value for name, value in given.items()} if isinstance(given, dict) else given
            for what, given in data["initial"].items()
        }
    return data


def _change(sheet, unit, old, new):
    try:
        if sheet.edit(unit, lambda table: _sync(table, old, new)):
            return
    except (TOMLKitError, KeyError, ValueError, TypeError):  # a form that tomlkit cannot edit: the unit is written anew
        pass
    sheet.rewrite(unit, new)


def _change_top(sheet, before, after):
    old, new = ({key: value for key, value in data.items() if not isinstance(value, dict)} for data in (before, after))
    if not same(old, new):
        for key in {*old, *new}:
            if sheet.owned((key,)) and not same(old.get(key), new.get(key)):
                sheet.remove((key,))  # [[touch]]: tables with headers of their own give way to a list above them
        sheet.edit((), lambda document: _sync(document, old, new))


def _arrange(sheet, after):
    """Parts in the order of the mechanism, section by section."""
    for section in NAMED:
        first = sheet.first_places()
        units = [(section, name) for name in _order(after, section)]
        places = [first[unit] for unit in units if unit in first]
        if places != sorted(places):
            sheet.arrange(units)


def _proven(sheet, after, meaning):
    """The text of the sheet if it means `after`; if not, units that differ are written anew, once."""
    new = units_of(after)
    wrong = _differences(sheet.text, after, meaning)
    if wrong:
        for unit in wrong:
            if unit in new:
                sheet.rewrite(unit, new[unit])
            elif unit:
                sheet.remove(unit)
        _arrange(sheet, after)
        if _differences(sheet.text, after, meaning):
            raise FormatError(
                "the file is written in a way that cannot be changed in place; write it anew with lw.write, without its comments"
            )
    return sheet.text


def _differences(text, after, meaning):
    """Units that do not mean what they should; all of a section if its order is wrong; all units if the text has no meaning at all."""
    try:
        now = meaning(text)
    except FormatError:
        return list(units_of(after)) or [()]
    old, new = units_of(now), units_of(after)
    wrong = [unit for unit in {**old, **new} if unit not in old or unit not in new or not same(old[unit], new[unit])]
    for section in NAMED:
        if _order(now, section) != _order(after, section):
            wrong += [(section, name) for name in _order(after, section) if (section, name) not in wrong]
    tops = [{key: value for key, value in data.items() if not isinstance(value, dict)} for data in (now, after)]
    return wrong or ([] if same(*tops) else [()])


def _order(data, section):
    return list(data.get(section, ()))


def same(a, b):
    """Equal to the last bit, the sign of zero included; the order of keys does not matter."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return repr(a) == repr(b)


# ---- inside a table


def _sync(table, old, new):
    """Make a tomlkit table say `new` where it differs from `old`, which is what the table means."""
    for key in [key for key in old if key not in new]:
        _drop(table, key, keep=new)
    for key, value in new.items():
        if key not in old or not same(old[key], value):
            _put(table, key, old.get(key), value, keep=new)


def _drop(table, key, keep):
    """Take a key out, and all other forms of it."""
    for other in {key}.union(*(group for group in GROUPS if key in group)):
        if other in table and other not in keep:
            del table[other]


def _put(table, key, old, value, keep):
    item = table.get(key)
    if item is not None and _sync_inside(item, old, value):
        return
    _drop(table, key, keep=keep)
    if isinstance(item, dict | AoT) and not isinstance(item, InlineTable):
        del table[key]  # a table with a header of its own; the value has to stand above such headers
    table[key] = tomlkit.value(value_text(value, len(key) + 3))


def _sync_inside(item, old, value):
    """Change what is inside a value, if it is built as it was; False if it has to be replaced."""
    if isinstance(item, dict):  # a place or pose may stand as a table, though its plain form is shorter
        for key, short in (("on", str), ("xyz", list)):
            old, value = ({key: given} if key in item and isinstance(given, short) else given for given in (old, value))
    if isinstance(item, dict) and isinstance(old, dict) and isinstance(value, dict):
        if old.get("kind") != value.get("kind") or (isinstance(item, InlineTable) and not item.keys() == old.keys() == value.keys()):
            return False
        _sync(item, old, value)
        return True
    if isinstance(item, AoT | Array) and isinstance(old, list) and isinstance(value, list) and len(item) == len(old) == len(value):
        for k, (was, entry) in enumerate(zip(old, value, strict=True)):
            if not same(was, entry) and not _sync_inside(item[k], was, entry):
                if isinstance(item, AoT):
                    return False
                item[k] = tomlkit.value(value_text(entry))
        return True
    return False
