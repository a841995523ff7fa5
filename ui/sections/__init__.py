"""What a section of a chapter is written with: one place for what all of them take from the rooms below."""

from ui.frame.chapter import AnyChapter, Chapter
from ui.frame.fragment import fragment
from ui.sections import controls
from ui.sections.caption import provenance
from ui.sections.kept_figure import kept
from ui.sections.lecture import through
from ui.sections.prediction import predict
from ui.sections.question import Choice, Quantity, answers
from ui.sections.section import Section, deeper
from ui.sections.section_list import alone
from ui.sections.sequence_fields import sequence
from ui.sections.show_figure import show
from ui.settings.frame import Frame

__all__ = ["AnyChapter", "Chapter", "Choice", "Frame", "Quantity", "Section"]
__all__ += [
    "alone",
    "answers",
    "controls",
    "deeper",
    "fragment",
    "kept",
    "predict",
    "provenance",
    "sequence",
    "show",
    "through",
]
