"""The parts that came after 2017, each beside a reference of PyTorch's own."""

import numpy as np
import streamlit as st

from transformer_core.verify.after_2017 import REFERENCES, TOLERANCES, measured
from ui.cache import cached
from ui.figures import Drawing, Figure, number
from ui.figures.markup import Markup, element
from ui.sections import AnyChapter, Section, provenance, show

DIGITS = 2
PROGRAM = """import torch

from transformer_core.verify.after_2017 import REFERENCES, measured

shown = torch.tensor([[measured(name)] for name in REFERENCES], dtype=torch.float64)
for name, (error,) in zip(REFERENCES, shown.tolist()):
    print(name, error)
"""


@Section("later", text="text")
def later(chapter: AnyChapter) -> None:
    with st.spinner(chapter.say("later.measuring")):
        errors = cached.get_or_make(("after 2017",), lambda: {name: measured(name) for name in REFERENCES})
    figure = Figure(
        "later",
        Drawing(_table(chapter, errors)),
        provenance("measured(name)", len(errors), 1),
        numbers=np.array([[error] for error in errors.values()]),
        columns=[chapter.say("error")],
        code=list(REFERENCES.values()),
        program=PROGRAM,
    )
    show(chapter, figure)


def _table(chapter: AnyChapter, errors: dict[str, float]) -> Markup:
    say = chapter.say
    heads = [element("th", say(head), scope="col") for head in ("what", "error", "tolerance", "verdict")]
    rows = [_row(chapter, name, error) for name, error in errors.items()]
    return element("table", element("thead", element("tr", *heads)), element("tbody", *rows), class_="checks parts")


def _row(chapter: AnyChapter, name: str, error: float) -> Markup:
    say, tolerance = chapter.say, TOLERANCES[name]
    title = element("th", say(f"later.{name}.name"), element("small", say(f"later.{name}.text")), scope="row")
    verdict, meaning = ("passed", "right") if error <= tolerance else ("failed", "wrong")
    figures = element("td", number(error, DIGITS)), element("td", number(tolerance, DIGITS))
    return element("tr", title, *figures, element("td", say(verdict), class_=meaning))
