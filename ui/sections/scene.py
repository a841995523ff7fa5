"""What a scene of a story is written with: one place for what all of them take from the rooms below."""

from ui.figures.actors import Actor, Beat, Box, Curve, Dot, Grid, Line, Stage, Word
from ui.figures.letters import breadth, fitting, flowing
from ui.figures.staging import ByStage, Columns, bar, centres, end_of, pace, words_in
from ui.sections.story import Told, story

__all__ = ["Actor", "Beat", "Box", "ByStage", "Columns", "Curve", "Dot", "Grid", "Line", "Stage", "Told", "Word"]
__all__ += ["bar", "breadth", "centres", "end_of", "fitting", "flowing", "pace", "story", "words_in"]
