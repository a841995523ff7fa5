"""The chapter on a model of several layers, for figures that compare layers."""

from dataclasses import replace
from typing import TypeVar

import streamlit as st

from ui import state
from ui.model import with_layers
from ui.sections import Chapter
from ui.settings.chapters import page
from ui.settings.fields import Settings

S = TypeVar("S", bound=Settings)


def on_layers(chapter: Chapter[S]) -> Chapter[S]:
    """The same chapter where its model has several layers, else on the shipped one that has."""
    return replace(chapter, at_hand=with_layers(chapter.at_hand))


def say_which(chapter: Chapter[S], shown: Chapter[S]) -> None:
    """Below a figure of another model than the page's: which it is, and the way to the whole chapter on it."""
    if shown.at_hand == chapter.at_hand:
        return
    shell, layers = chapter.shell, shown.at_hand.config.N
    st.caption(shell("of_layers", layers=layers))
    if chapter.frame.at is None:
        st.page_link(
            page(chapter.name),
            label=shell("of_layers_open", layers=layers),
            icon=":material/layers:",
            query_params=state.query(chapter.name, model=shown.at_hand.kind),
        )
