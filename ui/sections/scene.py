"""What a scene of a story is written with: one place for what all of them take from the rooms below."""

from ui.figures.actors import Actor, Beat, Box, Curve, Dot, Grid, Line, Stage, Word, bar, centres, end_of, pace
from ui.figures.letters import breadth, fitting, flowing
from ui.sections.story import Told, story

__all__ = ["Actor", "Beat", "Box", "Curve", "Dot", "Grid", "Line", "Stage", "Told", "Word"]
__all__ += ["bar", "breadth", "centres", "end_of", "fitting", "flowing", "pace", "story"]
