"""What scenes of a story are laid out with, from the rooms below: their actors come from `ui.figures.actors`."""

from ui.figures.letters import breadth, fitting, flowing
from ui.figures.staging import ByStage, Columns, bar, centres, cut_off, end_of, pace, sizes, words_in
from ui.sections.story import Told, story

__all__ = ["ByStage", "Columns", "Told", "bar", "breadth", "centres", "cut_off", "end_of", "fitting", "flowing", "pace"]
__all__ += ["sizes", "story", "words_in"]
