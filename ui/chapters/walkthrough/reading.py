"""Two questions about what passes by, and how to read it."""

from ui.sections import Chapter, Choice, Quantity, Section, predict
from ui.settings.fields import Settings

SHAPE = Quantity(
    "ask_shape",
    10 * 10,
    {"ask_shape.wrong.one_row": 10, "ask_shape.wrong.all_heads": 8 * 10 * 10, "ask_shape.wrong.with_vectors": 10 * 512},
)
MASK = Choice("ask_mask", ("itself", "both", "nothing"), right="itself")


@Section("reading", look="open", asks=(SHAPE, MASK))
def reading(chapter: Chapter[Settings]) -> None:
    predict(chapter, SHAPE)
    predict(chapter, MASK)
    chapter.write(*(f"words.{paragraph}" for paragraph in ("see", "name", "shapes", "why")))
