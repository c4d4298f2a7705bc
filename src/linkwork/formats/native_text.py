"""Plain data as TOML text that a person would have written: a table a part, short values in line, long lists over several lines."""

from ..validation import is_number
from .native_report import quoted, quoted_key

WIDTH = 120
# Sections with a table for every name; all others are one table.
NAMED = ("body", "frame", "joint", "constraint", "force", "controller")
# Values that are tables of their own below a header: lists of many names.
BELOW = (("initial", "q"), ("initial", "v"), ("controller", "parameters"))


def data_to_text(data) -> str:
    """A whole file."""
    top = [f"{key} = {value_text(value)}" for key, value in data.items() if not isinstance(value, dict)]
    units = [unit_text(path, table) for path, table in units_of(data).items()]
    return "\n".join(["\n".join(top) + "\n", *units])


def units_of(data):
    """{path of the table: table} in order: ("body", "crank") and so on, and ("initial",)."""
    units = {}
    for section, table in data.items():
        if section in NAMED:
            units |= {(section, name): entry for name, entry in table.items()}
        elif isinstance(table, dict):
            units[(section,)] = table
    return units


def unit_text(path, table):
    """One table with its header, and a line for every key; tables too long for a line get a header of their own."""
    below = {key: value for key, value in table.items() if isinstance(value, dict) and _is_below(path, key, value)}
    lines = [f"{quoted_key(key)} = {value_text(value, len(key) + 3)}" for key, value in table.items() if key not in below]
    text = "\n".join([f"[{'.'.join(map(quoted_key, path))}]", *lines]) + "\n" if lines or not below else ""
    inner = [unit_text((*path, key), value) for key, value in below.items()]
    return "\n".join([text, *inner] if text else inner)


def _is_below(path, key, value):
    return (path[0], key) in BELOW or len(key) + 3 + len(_flat(value)) > WIDTH


def value_text(value, column=0, indent=""):
    """A value; lists that are too long for a line are broken after each entry. TOML 1.0 allows no other line breaks in a table."""
    flat = _flat(value)
    if not isinstance(value, list | dict) or len(indent) + column + len(flat) <= WIDTH:
        return flat
    deeper = indent + "    "
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{quoted_key(key)} = {value_text(entry, len(key) + 3, indent)}' for key, entry in value.items())} }}"
    if all(map(is_number, value)):
        return _wrapped(value, indent, deeper)
    entries = [f"{deeper}{value_text(entry, 0, deeper)},\n" for entry in value]
    return f"[\n{''.join(entries)}{indent}]"


def _wrapped(numbers, indent, deeper):
    """Many numbers, as many to a line as it holds."""
    lines, line = [], deeper
    for number in map(_flat, numbers):
        if len(line) + len(number) + 2 > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = deeper
        line += number + ", "
    return "\n".join(["[", *lines, line.rstrip(), f"{indent}]"])


def _flat(value):
    """A value in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{quoted_key(key)} = {_flat(entry)}' for key, entry in value.items())} }}" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flat, value))}]"
    return repr(value)
