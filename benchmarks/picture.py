"""The picture of the README: bars of how many times faster than Pinocchio, from results/latest.json. Plain SVG, no plotting library."""

import json
from pathlib import Path

HERE = Path(__file__).parent
COLOURS = {"forward dynamics": "#2f6f9f", "inverse dynamics": "#5a9e6f", "mass matrix": "#c98b3c"}
BAR, GAP, LEFT, WIDTH = 15, 16, 110, 620


def bars(title, rows, top):
    """One group of bars per robot; returns SVG lines and the height used."""
    robots = list(dict.fromkeys(row["robot"] for row in rows))
    longest = max(row["ratio"] for row in rows)
    scale = (WIDTH - LEFT - 60) / longest
    lines, y = [f'<text x="{LEFT}" y="{top}" font-weight="bold">{title}</text>'], top + 12
    start = y
    for robot in robots:
        of_robot = [row for row in rows if row["robot"] == robot]
        lines.append(f'<text x="{LEFT - 8}" y="{y + BAR * len(of_robot) / 2 + 4}" text-anchor="end">{robot}</text>')
        for row in of_robot:
            length = row["ratio"] * scale
            lines.append(f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 2}" fill="{COLOURS[row["what"]]}"/>')
            lines.append(f'<text x="{LEFT + length + 5:.1f}" y="{y + BAR - 4}" font-size="11">{row["ratio"]:.1f}x</text>')
            y += BAR
        y += GAP
    lines.append(
        f'<line x1="{LEFT + scale:.1f}" y1="{start}" x2="{LEFT + scale:.1f}" y2="{y - GAP}" stroke="#888" stroke-dasharray="3 3"/>'
    )
    return lines, y


def main():
    results = json.loads((HERE / "results" / "latest.json").read_text())
    y, body = 44, []
    for k, (what, colour) in enumerate(COLOURS.items()):
        body.append(f'<rect x="{LEFT + 170 * k}" y="10" width="12" height="12" fill="{colour}"/>')
        body.append(f'<text x="{LEFT + 17 + 170 * k}" y="20">{what}</text>')
    for title, rows in results["sections"].items():
        if "ratio = Pinocchio" in title:
            lines, y = bars(title.replace("ratio = Pinocchio / Linkwork", "times faster than Pinocchio; dashed: equal"), rows, y + 10)
            body += lines
            y += 14
    style = 'font-family="sans-serif" font-size="12" fill="#222"'
    box = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}" {style}>'
    svg = "\n".join([box, '<rect width="100%" height="100%" fill="#ffffff"/>', *body, "</svg>", ""])
    (HERE.parent / "docs" / "pictures" / "speed.svg").write_text(svg)


if __name__ == "__main__":
    main()
