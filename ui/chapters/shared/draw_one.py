"""The way from what a chapter shows to a sheet on which the reader draws it."""

import streamlit as st

from ui import state
from ui.sections import AnyChapter, alone
from ui.settings.chapters import page


def draw_one(chapter: AnyChapter, task: str, **settings: object) -> None:
    """A link to the drawing of this kind, with these `settings`; none where a section stands alone."""
    if chapter.waits or alone(chapter):
        return
    st.page_link(
        page("practice"),
        label=chapter.shell("draw_one"),
        icon=":material/draw:",
        query_params=state.query("practice", open="draw", draw_task=task, **settings),
    )
