"""What scenes of a story are laid out with, from the rooms below: their actors come from `ui.figures.actors`."""

from ui.figures.letters import breadth, fitting, flowing
from ui.figures.staging import Axes, Bars, Columns, adding, centres, cut_off, end_of, pace, sizes
from ui.sections.story import Told, story

__all__ = ["Axes", "Bars", "Columns", "Told", "adding", "breadth", "centres", "cut_off", "end_of"]
__all__ += ["fitting", "flowing", "pace", "sizes", "story"]
