"""Two questions about what passes by, and how to read it."""

from ui.frame.chapter import Chapter
from ui.page.predict import Choice, Quantity, predict
from ui.page.section import Section
from ui.settings.fields import Settings, number_reply, reply

SHAPE = Quantity(
    "ask_shape",
    10 * 10,
    {"ask_shape.wrong.one_row": 10, "ask_shape.wrong.all_heads": 8 * 10 * 10, "ask_shape.wrong.with_vectors": 10 * 512},
)
MASK = Choice("ask_mask", ("itself", "both", "nothing"), right="itself")


class Reading(Settings):
    ask_shape: str = number_reply()
    ask_mask: str | None = reply()


def reading(chapter: Chapter[Reading]) -> None:
    predict(chapter, SHAPE)
    predict(chapter, MASK)
    chapter.write(*(f"words.{paragraph}" for paragraph in ("see", "name", "shapes", "why")))


READING = Section("reading", reading, settings=Reading, look="open", asks=(SHAPE, MASK))
