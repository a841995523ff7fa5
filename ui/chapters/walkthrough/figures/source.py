"""A few lines of source with one of them marked, as HTML."""

from collections.abc import Sequence

from ui.figures.markup import Markup, element, style
from ui.theme import css


def marked_lines(lines: Sequence[str], first: int, at: int) -> Markup:
    """`lines` numbered from `first`, line `at` (an index) in gold."""
    gold, panel = css("chosen"), css("panel")
    quiet, text = css("quiet"), css("text")
    rows = []
    for index, line in enumerate(lines):
        rim = gold if index == at else "transparent"
        color, weight = (text, 600) if index == at else (quiet, 400)
        number = element("span", f"{first + index:>4}", style=style(color=quiet))
        look = style(border_left=f"3px solid {rim}", padding_left="8px", color=color, font_weight=weight)
        rows.append(element("div", number, f"  {line}", style=look))
    box = f"background:{panel};padding:8px 0;margin:0;overflow-x:auto;font-size:0.8125rem;line-height:1.6"
    return element("pre", *rows, style=box)
