"""Text as the page shows it. What people and files call things is never markup."""

import html

STYLE = "margin:0.2em 0.9em;font-size:0.8em;line-height:1.45;overflow-wrap:anywhere;"
TONES = {"plain": "", "quiet": "opacity:0.65;", "good": "color:#2b8a3e;", "bad": "color:#c92a2a;", "strong": "font-weight:600;"}


def escaped(text) -> str:
    """Text that HTML shows as it is; lines stay lines."""
    return html.escape(str(text)).replace("\n", "<br>")


def fault(error) -> str:
    """An error that nobody foresaw, in words."""
    return f"a fault of Linkwork itself: {type(error).__name__}: {error}"


def paragraph(text, tone="plain") -> str:
    """A paragraph of plain text, as HTML."""
    return f'<div style="{STYLE}{TONES[tone]}">{escaped(text)}</div>'


def block(text) -> str:
    """Lines in letters of equal width, as HTML: scripts, tables."""
    look = "margin:0.2em 0.9em;font-size:0.72em;max-height:22em;overflow:auto;white-space:pre;user-select:all;"
    return f'<pre style="{look}">{html.escape(str(text))}</pre>'


def table(rows) -> str:
    """Rows of (label, value) as HTML."""
    cells = "".join(
        f'<tr><td style="opacity:0.65;padding-right:0.8em;white-space:nowrap;vertical-align:top">{escaped(label)}</td><td>{escaped(value)}</td></tr>'
        for label, value in rows
    )
    return f'<table style="{STYLE}border-spacing:0">{cells}</table>'
