"""What a section of a chapter is written with: one place for what all of them take from the rooms below."""

from ui.frame.chapter import AnyChapter, Chapter
from ui.frame.fragment import fragment
from ui.page import controls
from ui.page.lecture import through
from ui.page.predict import Choice, Quantity, predict
from ui.page.section import Section, deeper
from ui.page.sections import alone
from ui.page.typed import sequence
from ui.settings.frame import Frame
from ui.showing.caption import provenance
from ui.showing.show import show

__all__ = ["AnyChapter", "Chapter", "Choice", "Frame", "Quantity", "Section"]
__all__ += ["alone", "controls", "deeper", "fragment", "predict", "provenance", "sequence", "show", "through"]
