"""What scenes of a story are laid out with, from the rooms below: their actors come from `ui.figures.actors`."""

from ui.figures.letters import breadth, fitting, flowing
from ui.figures.staging import Axes, Bars, ByStage, Columns, bar, centres, cut_off, end_of, pace, sizes
from ui.sections.story import Told, story

__all__ = ["Axes", "Bars", "ByStage", "Columns", "Told", "bar", "breadth", "centres", "cut_off", "end_of", "fitting"]
__all__ += ["flowing", "pace", "sizes", "story"]
