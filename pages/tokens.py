"""Tokens, padding, embedding × √d_model (paper, section 3.4)."""

from functools import partial

import streamlit as st
import torch

from transformer_core import Embeddings, record
from transformer_core.padding import pad_sequences
from ui import controls
from ui.caption import caption
from ui.drawing import board
from ui.fragment import fragment
from ui.labs.tokens_equal import equal_section
from ui.labs.tokens_examples import Example, five, lengths, typed
from ui.labs.tokens_lookup import arithmetic, panels
from ui.labs.tokens_padding import padding_section
from ui.labs.tokens_padding_four import four_section
from ui.labs.tokens_sizes import size_section
from ui.labs.tokens_zero_row import zero_row_section
from ui.section import Lab, section
from ui.settings.tokens import Tokens
from ui.shell import close_chapter, open_chapter

EXAMPLES = {"typed": typed, "lengths": lengths, "five": five}
SECTIONS: dict[str, tuple[Lab, str]] = {  # with the settings that are theirs
    "sizes": (size_section, "init small"),
    "equal_rows": (equal_section, "repeated positions repeat_cell equal"),
    "padding": (padding_section, "left right top bottom pad_cell pad_shape"),
    "four": (four_section, "pairs four_cell"),
    "zero": (zero_row_section, "zero_row zero_cell learned"),
}

chapter = open_chapter("tokens", Tokens)
say = chapter.say


@fragment
def lookup() -> None:
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    with left:
        choice = controls.choose(chapter, "example")
    with right:
        factor = controls.toggle(chapter, "factor")
    example = EXAMPLES[choice](chapter)
    if example is None:
        return
    with torch.no_grad(), record(example.embeddings) as trace:
        example.embeddings(example.sequence.unsqueeze(0))
    x = trace["output" if factor else "rows"][0].numpy()
    alt = say("lookup.alt", length=len(x), d_model=x.shape[1])
    chosen = board(chapter, "lookup", panels(chapter, example, x, factor), alt=alt).chosen
    st.html(arithmetic(chapter, example, chosen, factor))
    caption(
        chapter,
        "lookup",
        example.origin(*x.shape),
        numbers=x,
        code=[pad_sequences, Embeddings],
        snippet=_snippet(example, factor),
    )


def _snippet(example: Example, factor: bool) -> str:
    call = "embeddings(ids)" if factor else "embeddings.lut(ids)"
    return f"{example.made_by}x = {call}[{example.row}]  # one row per token\nprint(x)\n"


lookup()
chapter.write("lookup.text")
for name, (draw, owns) in SECTIONS.items():
    section(chapter, name, partial(draw, chapter), owns=owns)
close_chapter(chapter)
