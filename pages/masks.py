"""Look-ahead and padding masks (paper, sections 3.1 and 3.2.3)."""

import streamlit as st

from transformer_core import subsequent_mask
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures.board import Panel
from ui.settings.masks import Masks
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("masks", Masks)
say = chapter.say


@st.fragment
def look_ahead() -> None:
    size = controls.slider(chapter, "size")
    mask = subsequent_mask(size)[0].numpy()
    panel = Panel("mask", mask, row_axis=say("query_axis"), col_axis=say("key_axis"), scale="mask")
    board(chapter, "look_ahead", [panel], alt=say("look_ahead.alt", size=size))
    origin = provenance(f"subsequent_mask({size})", *mask.shape)
    caption(chapter, "look_ahead", origin, numbers=mask, code=[subsequent_mask])


look_ahead()
st.markdown(say("look_ahead.text"))
close_chapter(chapter)
