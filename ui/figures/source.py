"""A few lines of source with one of them marked, as HTML."""

from collections.abc import Sequence
from html import escape

from ui.theme import css


def marked_lines(lines: Sequence[str], first: int, at: int) -> str:
    """`lines` numbered from `first`, line `at` (an index) in gold."""
    gold, panel = css("chosen"), css("panel")
    quiet, text = css("quiet"), css("text")
    rows = []
    for index, line in enumerate(lines):
        rim = gold if index == at else "transparent"
        color, weight = (text, 600) if index == at else (quiet, 400)
        number = f'<span style="color:{quiet}">{first + index:>4}</span>'
        style = f"border-left:3px solid {rim};padding-left:8px;color:{color};font-weight:{weight}"
        rows.append(f'<div style="{style}">{number}  {escape(line)}</div>')
    box = f"background:{panel};padding:8px 0;margin:0;overflow-x:auto;font-size:0.8125rem;line-height:1.6"
    return f'<pre style="{box}">{"".join(rows)}</pre>'
