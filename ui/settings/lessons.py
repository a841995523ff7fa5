"""Eight lessons of ten minutes: each a list of stops, a chapter with the settings and the question for the class.

A link names a stop, `lesson=masks&stop=3`, and means all that the stop sets; what else it says wins over that.
The page for teachers has a small picture of each stop: after a change here `python -m tests.stops` takes them anew.
A question that only a lesson asks is in the `lesson` of its section.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class LessonStop:
    """A screen of a lesson: a chapter with settings, written as a link writes them, and the question that is asked.

    The question's words are the chapter's, under `question`; what the stop is about, the teachers' page has under
    `<lesson>.stop_<number>`. Where it `steps`, the keys lead through the stages of its figure first. One that `tells`
    begins with the scenes of its chapter's story. The question stands beside a figure, and above one that is `wide` and
    low. A page of slides has no button to start a run with: what its link says of that is its `run`.
    """

    chapter: str
    settings: Mapping[str, str]
    question: str
    steps: bool = False
    tells: bool = False
    wide: bool = False
    run: Mapping[str, str] = field(default_factory=dict)


# The translator, reading a sentence that it was not trained on; where a stop names no model, numbers are copied.
WORDS = {"model": "translate", "src": "two white cats sleep"}
# Its Chinese has another order, 我每天买两朵红色的花, and this head looks at the word that each word stands for.
MOVED = {"model": "translate", "src": "I buy two red flowers every day", "head": "2"}

LESSONS: dict[str, tuple[LessonStop, ...]] = {
    "attention": (
        LessonStop(
            "attention", {"kind": "encoder", "stage": "products", "only": "stages"} | WORDS, "ask_product", tells=True
        ),
        LessonStop("attention", {"kind": "encoder", "stage": "scores", "only": "stages"} | WORDS, "ask_scale"),
        LessonStop("attention", {"kind": "encoder", "stage": "weights", "only": "stages"} | WORDS, "sums", wide=True),
        LessonStop("attention", {"kind": "encoder", "stage": "output", "only": "stages"} | WORDS, "ask_output"),
        LessonStop(
            "attention", {"kind": "cross", "stage": "weights", "only": "stages"} | MOVED, "looks_words", wide=True
        ),
    ),
    "masks": (
        LessonStop("masks", {"size": "8", "only": "look_ahead"}, "pairs", tells=True),
        LessonStop("masks", {"only": "both"} | WORDS, "ask_padded"),
        LessonStop(
            "attention", {"kind": "decoder", "stage": "masked", "only": "stages"} | WORDS, "ask_masked", wide=True
        ),
        LessonStop("masks", {"only": "fill", "fill_with": "billion"} | WORDS, "blank", wide=True),
        LessonStop("masks", {"only": "probes"} | WORDS, "future"),
    ),
    "scale": (
        LessonStop("scaling", {"only": "steps"}, "ask_jacobian", tells=True, wide=True),
        LessonStop("scaling", {"factor": "8", "only": "steps"}, "ask_eight", wide=True),
        LessonStop("scaling", {"only": "size"}, "spread"),
        LessonStop("scaling", {"only": "self", "divide": "0"}, "ask_self"),
        LessonStop("scaling", {"only": "run"}, "ask_start", run={"trained": "1.0"}),
    ),
    "order": (
        LessonStop("positions", {"only": "order"} | WORDS, "order", tells=True),
        LessonStop("positions", {"only": "code"}, "ask_fast"),
        LessonStop("positions", {"only": "wavelengths"}, "slowest"),
        LessonStop("positions", {"only": "products"}, "ask_distance"),
        LessonStop("positions", {"only": "sum"} | WORDS, "ask_twice"),
    ),
    "training": (
        LessonStop("loss", {"only": "targets"}, "ask_share", tells=True),
        LessonStop("loss", {"only": "rate"}, "ask_warmup"),
        LessonStop("training", {"only": "run"}, "ask_untrained"),
        LessonStop("heads", {"only": "wall"}, "ask_copy", wide=True),
        LessonStop("decoding", {"only": "turns", "turn": "1"}, "ask_first", steps=True, tells=True),
    ),
    "hand": (
        LessonStop("practice", {"only": "worksheet", "sheet_blank": "0"}, "ask_blank"),
        LessonStop("practice", {"only": "worksheet", "sheet_blank": "4"}, "ask_blank"),
        LessonStop("practice", {"only": "worksheet", "sheet_task": "layer_norm", "sheet_blank": "1"}, "ask_blank"),
        LessonStop("practice", {"only": "worksheet", "sheet_task": "loss", "sheet_blank": "5"}, "ask_blank"),
        LessonStop(
            "practice", {"only": "mend", "mend_order": "0010a040"}, "ask_late", wide=True
        ),  # where a bug stands on the bench
    ),
    "doing": (
        LessonStop("practice", {"only": "draw", "draw_seed": "1"} | WORDS, "drawn_run"),
        LessonStop("practice", {"only": "draw", "draw_task": "wave", "draw_seed": "7"}, "drawn_run"),
        LessonStop("practice", {"only": "draw", "draw_task": "rate", "draw_seed": "3"}, "drawn_run"),
        LessonStop("practice", {"only": "fault", "model": "translate", "fault": "23"}, "fault_named"),
        LessonStop("practice", {"only": "fault", "model": "translate", "fault": "13"}, "fault_named"),
    ),
    "later": (
        LessonStop("gpt", {"only": "goes_on", "prompt": "I buy two"}, "partial", tells=True),
        LessonStop("gpt", {"only": "one_row", "prompt": "two white cats sleep ="}, "ask_row"),
        LessonStop("gpt", {"only": "fill", "covered": "2"}, "both"),
        LessonStop("answer_cost", {"only": "memory"}, "half"),
        LessonStop("further", {"only": "moved"}, "table"),
    ),
}
STOPS = max(map(len, LESSONS.values()))


def stop_at(lesson: str, number: int) -> LessonStop | None:
    """The stop of a lesson with this number from 1, or its last one; None where there is no such lesson."""
    stops = LESSONS.get(lesson, ())
    return stops[min(number, len(stops)) - 1] if stops else None
