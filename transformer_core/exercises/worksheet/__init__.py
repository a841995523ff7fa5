"""A sheet with numbers of the reader's own: parts of the model worked out by hand."""

from typing import Any

from transformer_core.exercises.worksheet.adamw import ADAMW
from transformer_core.exercises.worksheet.attention import ATTENTION
from transformer_core.exercises.worksheet.beam import BEAM
from transformer_core.exercises.worksheet.exercise import ExerciseKind
from transformer_core.exercises.worksheet.layer_norm import LAYER_NORM
from transformer_core.exercises.worksheet.loss import LOSS
from transformer_core.exercises.worksheet.softmax import SOFTMAX

TASKS: dict[str, ExerciseKind[Any]] = {task.name: task for task in (ATTENTION, LAYER_NORM, SOFTMAX, LOSS, ADAMW, BEAM)}
