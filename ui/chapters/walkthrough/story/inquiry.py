"""What the story of a pass asks: the shape of the scores; and the same where the decoder looks at the source."""

from ui.chapters.shared.forward.values import turn_values
from ui.chapters.walkthrough.story.values import DECODER, WalkthroughStoryValues
from ui.sections import Choice
from ui.sections.inquiry import Inquiry, Version, first_of

SHAPE = Choice("story_shape", ("pairs", "vectors", "numbers"), right="pairs")


def of_cross(v: WalkthroughStoryValues, seed: int) -> Version | None:
    """At another turn, whose words the decoder has written."""
    turns = [turn for turn in range(2, len(v.output)) if turn != v.turn]
    return first_of(seed, turns, lambda turn: _at(v, turn))


def _at(v: WalkthroughStoryValues, turn: int) -> Version | None:
    tensors = turn_values(v.at_hand, v.src, turn)
    scores, query = (tensors[f"{DECODER}.src_attn.{name}"] for name in ("scores", "query"))
    rows, columns = scores.shape[-2:]
    sizes = {"vectors": (rows, query.size(-1)), "pairs": (rows, columns), "numbers": (rows, 1)}
    labels = {option: f"{high} × {wide}" for option, (high, wide) in sizes.items()}
    said = {"turn": turn, "queries": rows, "keys": columns, "d_k": query.size(-1), "shape": labels["pairs"]}
    return Version("pairs", said, labels) if len(set(labels.values())) == len(labels) else None


SHAPED = Inquiry(SHAPE, ("meets", "lies", "joins"), "meets", of_cross)
