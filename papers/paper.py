"""What every script here does with its numbers: print a document, or write it to docs/papers with the numbers beside it."""

import argparse
import json
import platform
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "papers"


def publish(name, results, document, picture=None):
    """The command line of a paper: results() gives numbers for JSON, document(numbers) the text in Markdown, picture(numbers, path) an SVG.

    Without options the document is printed; --json prints the numbers; --write puts all into docs/papers.
    """
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print numbers instead of the document")
    parser.add_argument("--write", action="store_true", help=f"write docs/papers/{name}.md and {name}.json")
    options = parser.parse_args()
    numbers = json.loads(json.dumps(results(), default=_plain))
    text = document(numbers).strip() + "\n"
    if options.write:
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / f"{name}.md").write_text(text)
        (FOLDER / f"{name}.json").write_text(json.dumps(numbers, indent=1) + "\n")
        if picture:
            picture(numbers, FOLDER / f"{name}.svg")
        print(f"wrote docs/papers/{name}.md and {name}.json")
    else:
        print(json.dumps(numbers, indent=1) if options.json else text)


def _plain(value):
    """NumPy's numbers and arrays as those of JSON."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def table(head, rows):
    """A table in Markdown; cells that are numbers are shown with four digits."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(cell(x) for x in row) + " |" for row in rows])


def cell(value, digits=4):
    """A number as one writes it in a table."""
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    if value == 0.0 or 1e-2 <= abs(value) < 1e5:
        return f"{value:.{digits}g}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def machine():
    """The processor and the Python that the times were measured with."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        model = next((line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")), model)
    return f"{model}, Python {platform.python_version()}"
