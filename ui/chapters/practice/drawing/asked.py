"""A question that is answered by a drawing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from transformer_core.exercises.drawing.packed import FULL
from transformer_core.exercises.drawing.verdict import Cause, DrawingVerdict
from transformer_core.exercises.worksheet.exercise import SEEDS
from ui.figures import number
from ui.figures.sheet import DrawingSheet
from ui.sections import Chapter, Choice, Frame
from ui.settings.fields import Settings, by_click, choice, flag, replies, whole

TASKS = ("row", "wave", "rate", "loss")
DIGITS = 3


class DrawSettings(Settings):
    """Drawings as they are `packed`: the one on the sheet, the one that was run last, the one run first."""

    draw_task: str = choice("row", *TASKS)
    draw_seed: int = whole(1, 1, SEEDS)
    draw_own: bool = by_click(flag(False))  # of losses, that of the reader's own run
    drawn: str = replies()
    drawn_run: str = replies()
    drawn_first: str = replies()


@dataclass(frozen=True)
class DrawingQuestion(Choice):
    """How near a class draws, in the distance up to which a drawing is right; the reply is the drawing that was run."""

    task: str = "row"
    in_section: ClassVar[bool] = True
    by_hand: ClassVar[bool] = True

    @property
    def first(self) -> str:
        return "drawn_first"

    def of(self, settings: DrawSettings, frame: Frame) -> Choice:
        task = settings.draw_task
        return replace(self, task=task, said={"of": SIGNS[task], "seed": str(settings.draw_seed)})

    def reason(self, reply: str) -> str:
        """What such drawings mostly have, of the tasks that a class can be given."""
        return f"{self.name}.{self.task}.{reply}"


SIGNS = dict(zip(TASKS, ("α", "PE", "η", "L")))
ALONE = ("loss",)  # of a run, which each reader has to wait for
TIMES = {"near": 1, "twice": 2, "four": 4}
DRAWN = DrawingQuestion("drawn_run", (*TIMES, "far"), "near", measured=True)


def how_near(verdict: DrawingVerdict, near: float) -> str:
    """Which reply of DRAWN this is; what is near and still not right, for it lies on what is masked, is not."""
    if verdict.right:
        return "near"
    return next((reply for reply, times in TIMES.items() if times > 1 and verdict.distance <= times * near), "far")


class Goal(NamedTuple):
    """A text of what is asked, with its values."""

    key: str
    values: Mapping[str, object]


def _numbers(cause: Cause) -> dict[str, object]:
    return {name: number(value, DIGITS) for name, value in cause.values.items()}


@dataclass(frozen=True)
class DrawingTask:
    """One question. `truth` computes what is right: None while that is under way, which the press that runs it may have
    begun (`begins`). `judged` holds a drawing to it, right up to the distance `near`; `said` has the values of a cause
    as they are written. `program` leaves the truth in `truth`, and what is `beside` is drawn below the verdict."""

    goals: Sequence[Goal]
    sheet: DrawingSheet
    truth: Callable[[], np.ndarray | None]
    judged: Callable[[np.ndarray, np.ndarray], DrawingVerdict]
    near: float
    origin: str
    x: np.ndarray  # (points,) of the figure's numbers
    code: Sequence[Callable[..., Any]] = ()
    program: str = ""
    said: Callable[[Cause], Mapping[str, object]] = _numbers
    begins: Callable[[], object] | None = None
    beside: Sequence[Callable[[], object]] = ()

    def values(self, levels: Sequence[int]) -> np.ndarray:
        return self.sheet.values(levels, FULL)

    def with_drawing(self, drawn: np.ndarray) -> str:
        """The program of the figure: x, drawing and truth side by side."""
        if not self.program:
            return ""
        numpy = "" if "import numpy as np\n" in self.program else "import numpy as np\n"
        return (
            f"{numpy}{self.program}\n"
            f"x = {self.x.tolist()}\n"
            f"drawn = {[round(value, 8) for value in drawn.tolist()]}\n"
            "shown = np.stack([x, drawn, np.asarray(truth)], axis=1)\n"
            "print(shown)\n"
        )


Task = Callable[[Chapter[DrawSettings]], DrawingTask | None]
