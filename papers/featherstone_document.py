"""The numbers of featherstone_costs.py as a document: Table 8-6 of Featherstone 1987 beside our counts.

    python papers/featherstone_document.py --write    docs/papers/featherstone_costs.md and .json

The counts come from a process of their own, in which kernels are plain Python.
"""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

from paper import publish, table

TITLES = {"rnea": "RNEA", "crba": "CRBA", "forward_by_crba": "forward dynamics by CRBA", "aba": "ABA"}
WAYS = {"book": "Table 8-6", "needed": "needed", "simplified": "simplified", "performed": "performed"}


def results():
    script = Path(__file__).with_name("featherstone_costs.py")
    return json.loads(subprocess.run([sys.executable, str(script), "--json"], check=True, capture_output=True, text=True).stdout)


def polynomial(coefficients):
    """As one writes it, from the highest power down."""
    parts = []
    for k, c in reversed(list(enumerate(map(Fraction, coefficients)))):
        if c:
            power = ("", " n", f" n^{k}")[min(k, 2)]
            parts.append(f"{'-' if c < 0 else '+'} {abs(c)}{power}")
    return " ".join(parts).removeprefix("+ ")


def value(coefficients, n):
    return sum(Fraction(c) * n**k for k, c in enumerate(coefficients))


def document(found):
    rows = []
    for algorithm, title in TITLES.items():
        for way, name in WAYS.items():
            m, a = found["polynomials"][algorithm][way][:2]
            rows.append([title, name, polynomial(m), polynomial(a), *(f"{value(m, n)} + {value(a, n)}" for n in (6, 30))])
    smallest = min(int(n) for n in found["counts"]["aba"]["needed"])

    def crossing(n):
        return "-" if n is None else "always less" if n == smallest else f"{n:.2f}"

    crossings = [[name, *(crossing(row[way]) for way in WAYS)] for name, row in found["crossovers"].items()]
    return f"""# Operation counts: Featherstone 1987, Table 8-6

R. Featherstone, *Robot Dynamics Algorithms*, Kluwer 1987, section 8.4. Written by `papers/featherstone_document.py` from `papers/featherstone_costs.py`,
which says what is counted and why the two differ; `papers/README.md` has the reasons in short. Multiplications include divisions and roots.

{table(["algorithm", "count", "multiplications", "additions", "n = 6", "n = 30"], rows)}

ABA overtakes forward dynamics by CRBA beyond n =

{table(["cost of an operation", *WAYS.values()], crossings)}
"""


if __name__ == "__main__":
    publish("featherstone_costs", results, document)
