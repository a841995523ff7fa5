"""One colour per meaning, one scale per kind of number, in light and dark: the only file with colours for figures."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

Mode = Literal["light", "dark"]
MODES: tuple[Mode, ...] = ("light", "dark")

# Terms in the text carry these colours, so each has a contrast of 4.5 or more on the page.
MEANINGS: dict[str, dict[Mode, str]] = {
    "query": {"light": "#1f5fb0", "dark": "#74aef2"},  # blue
    "key": {"light": "#be4410", "dark": "#f28a55"},  # vermilion
    "value": {"light": "#14795a", "dark": "#53c79a"},  # green
    "encoder": {"light": "#0f7c82", "dark": "#35a9b0"},  # teal
    "decoder": {"light": "#6e2462", "dark": "#e8b2e0"},  # plum
    "recurrent": {"light": "#a32a5b", "dark": "#ef8fb5"},  # rose, leaf and the indigo of the weights: kinds of layer
    "convolution": {"light": "#4a7d0a", "dark": "#a5d65c"},
    "attention": {"light": "#4b45b0", "dark": "#a3a5f2"},
    "right": {"light": "#14795a", "dark": "#53c79a"},
    "wrong": {"light": "#be4410", "dark": "#f28a55"},
    "chosen": {"light": "#b07900", "dark": "#f2c23e"},  # gold: the chosen cell and its operands
    "masked": {"light": "#85868a", "dark": "#7d808a"},  # grey, always hatched
    "padding": {"light": "#8a8c90", "dark": "#757883"},  # pale grey, always with a dashed border
}

PAGE: dict[str, dict[Mode, str]] = {
    "background": {"light": "#fcfaf5", "dark": "#14171f"},  # warm-white paper, deep ink
    "panel": {"light": "#f3f0e8", "dark": "#1d212b"},  # sidebar, code, wells
    "text": {"light": "#23262d", "dark": "#e9e6de"},
    "quiet": {"light": "#63666c", "dark": "#a2a5ae"},  # labels, captions
    "grid": {"light": "#dcd8cd", "dark": "#343945"},  # rules and borders
}

# Probability: from nearly the page (0) to nearly the text (1), one hue.
SEQUENTIAL: dict[Mode, tuple[str, ...]] = {
    "light": ("#f1eff0", "#d9d8ea", "#b9bbdf", "#979bd0", "#767abf", "#5859a8", "#403c8a", "#2c2567", "#1a1245"),
    "dark": ("#1f2330", "#2c2f4d", "#3e406f", "#545591", "#6e6fb0", "#8c8dcb", "#acaee0", "#cdcff0", "#eeeefb"),
}

# Signed values: blue below zero, orange above, the colour of the page at zero.
DIVERGING: dict[Mode, tuple[str, ...]] = {
    "light": ("#123f7c", "#2a66ab", "#5f95cd", "#a6c5e4", "#f4f1ea", "#f2c797", "#e09548", "#b8661a", "#7d3f06"),
    "dark": ("#a9d0fb", "#6fa6e2", "#3f78b5", "#274c78", "#222631", "#6d4a24", "#ab7026", "#e2a04a", "#fbd49a"),
}

_COLORS: dict[str, dict[Mode, str]] = (
    MEANINGS
    | PAGE
    | {
        f"{kind}-{at}": {mode: stops[at] for mode, stops in scales.items()}
        for kind, scales in (("probability", SEQUENTIAL), ("signed", DIVERGING))
        for at in range(9)
    }
)

# System faces for Chinese come after the fonts that Streamlit ships, so Latin text keeps the latter.
SANS = '"Source Sans", "Source Sans Pro", "PingFang SC", "Noto Sans CJK SC", "Microsoft YaHei", sans-serif'


def color(meaning: str, mode: Mode) -> str:
    """The hex colour of a meaning ("query", "masked", ...), of a part of the page ("text", "grid", ...) or of a stop of
    a scale ("signed-1", counted from 0)."""
    return _COLORS[meaning][mode]


def css(meaning: str) -> str:
    """The same as a colour of CSS, for SVG and HTML: the stylesheet's own, which is at any moment that of the page's
    theme. A picture taken away from the page is light."""
    return f"var(--{meaning}, {color(meaning, 'light')})"


def in_hex(option: dict[str, Any], mode: Mode) -> dict[str, Any]:
    """The option of a chart with the hex colours of one theme, for Plotly, which reads no others."""
    text = re.sub(r"var\(--([\w-]+), #\w+\)", lambda found: color(found[1], mode), json.dumps(option))
    return dict(json.loads(text))


def scale(mode: Mode, kind: str) -> tuple[str, ...]:
    """The hex stops of a scale, evenly spaced; "signed" is the diverging one, everything else the sequential."""
    return (DIVERGING if kind == "signed" else SEQUENTIAL)[mode]


def plotly_scale(mode: Mode, kind: str) -> list[tuple[float, str]]:
    """The same scale as Plotly wants it: (position in 0..1, colour)."""
    stops = scale(mode, kind)
    return [(index / (len(stops) - 1), stop) for index, stop in enumerate(stops)]


def layout(mode: Mode) -> dict[str, Any]:
    """Defaults for every Plotly figure: the page shows through, the grid is quiet, margins are tight."""
    axis = {
        "gridcolor": color("grid", mode),
        "linecolor": color("grid", mode),
        "zerolinecolor": color("grid", mode),
        "tickfont": {"color": color("quiet", mode)},
        "automargin": True,
        "exponentformat": "power",  # 6.25×10⁻⁶, as on the canvas
        "minexponent": 5,  # but 4000
    }
    return {
        "font": {"family": SANS, "size": 14, "color": color("text", mode)},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 8, "r": 8, "t": 24, "b": 8},
        "separators": ".",  # 10000
        "xaxis": axis,
        "yaxis": axis,
        "colorscale": {"sequential": plotly_scale(mode, "probability"), "diverging": plotly_scale(mode, "signed")},
        "hoverlabel": {"font": {"family": SANS}, "bgcolor": color("panel", mode)},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        # upright, beside the picture: above it would lie on the names of the columns
        "modebar": {
            "orientation": "v",
            "bgcolor": "rgba(0,0,0,0)",
            "color": color("quiet", mode),
            "activecolor": color("text", mode),
        },
    }


def canvas(mode: Mode) -> dict[str, Any]:
    """Everything that the matrix component paints with."""
    names = (*MEANINGS, *PAGE)
    scales = {"signed": scale(mode, "signed"), "probability": scale(mode, "probability")}
    return {"scales": scales} | {name: color(name, mode) for name in names}
