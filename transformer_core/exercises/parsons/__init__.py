"""Functions of the core as lines to be put in order, among lines from real bugs (Parsons problems)."""

from transformer_core.exercises.parsons.attention import ATTENTION
from transformer_core.exercises.parsons.greedy import GREEDY
from transformer_core.exercises.parsons.masks import MASKS
from transformer_core.exercises.parsons.positions import POSITIONS
from transformer_core.exercises.parsons.smoothing import SMOOTHING
from transformer_core.exercises.parsons.update import UPDATE

PUZZLES = {puzzle.name: puzzle for puzzle in (ATTENTION, MASKS, POSITIONS, GREEDY, SMOOTHING, UPDATE)}
