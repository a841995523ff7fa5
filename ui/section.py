"""What a section of a chapter is written with: one place for what all of them take from the rooms below."""

from ui.frame.chapter import AnyChapter, Chapter
from ui.page import controls
from ui.page.lecture import through
from ui.page.predict import Choice, Quantity, predict
from ui.page.section import Section, typed
from ui.showing.caption import provenance
from ui.showing.show import show

__all__ = ["AnyChapter", "Chapter", "Choice", "Quantity", "Section"]
__all__ += ["controls", "predict", "provenance", "show", "through", "typed"]
