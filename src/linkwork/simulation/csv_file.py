"""Recordings as text for spreadsheets: one row a sample, one column a number, 17 digits, so that every float64 can be read back exactly."""

import csv
import io

from .arrow_file import labelled, unique
from .writing import replacing

ROWS = 4096  # formatted at a time


def write_csv(recording, path):
    """Write all columns; the header has the channel, the label and the unit of each: "q pivot [rad]"."""
    columns, heads = [], []
    for name, label, unit, column in labelled(recording):
        heads.append((name if label == name else f"{name} {label}") + (f" [{unit}]" if unit else ""))
        columns.append(column)
    row = ",".join("%d" if column.dtype.kind == "i" else "%.17g" for column in columns) + "\n"
    with replacing(path) as file:
        head = io.StringIO()
        csv.writer(head, lineterminator="\n").writerow(unique(heads))
        file.write(head.getvalue().encode("utf-8"))
        for start in range(0, len(recording), ROWS):
            lists = [column[start : start + ROWS].tolist() for column in columns]
            file.write("".join([row % values for values in zip(*lists, strict=True)]).encode("ascii"))
