"""Each example of the app is chosen for a reason: here it is held to it, on every shipped model that reads words."""

from itertools import pairwise
from typing import NamedTuple

import pytest
import torch

from tests.app.conftest import Open
from tests.app.telling import telling
from transformer_core import beam_search, greedy_decode, padding_mask
from transformer_core.experiments.alignment import reference_alignment
from transformer_core.tasks import Translation
from transformer_core.tasks.task import is_held_out
from transformer_core.training.checkpoint import Checkpoint
from ui.chapters.attention.head import SHORT
from ui.chapters.positions.story_values import SENTENCES as OF_TWO_ORDERS
from ui.chapters.shared.word_choice import SENTENCES as WITH_A_WORD_TWICE
from ui.chapters.ways.draw import Sampling
from ui.chapters.ways.values import SENTENCES as UNSURE
from ui.figures.actors import NARROW, WIDE, Actor, Grid, Word
from ui.figures.stages import PRINTED
from ui.inputs.sequence import EXAMPLES
from ui.model.recorded import forward
from ui.model.shipped import FILES, shipped
from ui.settings.chapters import OF_ENGLISH, TRANSLATOR, beginning
from ui.settings.lessons import MOVED, WORDS

OF_WORDS = [kind for kind in FILES if shipped(kind).config.words is not None]
BOTH_WAYS = [
    (kind, way)
    for kind in OF_WORDS
    for way in (f"en-{shipped(kind).config.words.language}", f"{shipped(kind).config.words.language}-en")
]
every = pytest.mark.parametrize(("kind", "way"), BOTH_WAYS)


class Example(NamedTuple):
    """A sentence and what a shipped model makes of it."""

    checkpoint: Checkpoint
    task: Translation
    src: list[int]
    english: str  # of the grammar's two sides

    @property
    def answer(self) -> list[int] | None:
        return self.task.answer(self.src)

    @property
    def written(self) -> list[int]:
        src = torch.tensor([self.src])
        found: list[int] = greedy_decode(self.checkpoint.model, src, padding_mask(src), 20, end=2)[0].tolist()
        return found


def example(kind: str, text: str) -> Example:
    checkpoint = shipped(kind)
    task = checkpoint.config.words
    assert isinstance(task, Translation)
    src = task.source.sequence(task.source.read(text))
    answer = task.answer(src) or [0]
    english = text if task.direction_of(text).startswith("en") else task.target.text(answer)
    return Example(checkpoint, task, src, english)


@every
def test_the_example_is_unseen_grammatical_right_and_moves_a_word(kind: str, way: str) -> None:
    """So that cross-attention has to jump, and its lines cross."""
    of = example(kind, EXAMPLES[f"translate {way}"])
    assert is_held_out(of.english)
    assert of.written == of.answer
    assert reorders(of)


@pytest.mark.parametrize("kind", OF_WORDS)
def test_the_sentence_of_the_lesson_on_cross_attention_moves_a_word_and_all_are_unseen(kind: str) -> None:
    of = example(kind, MOVED["src"])
    assert reorders(of)
    assert of.written == of.answer
    assert is_held_out(of.english)
    assert example(kind, WORDS["src"]).written == example(kind, WORDS["src"]).answer


def reorders(of: Example) -> bool:
    """Whether a word of the answer stands for an earlier source word than the word before it does."""
    answer = of.answer
    assert answer is not None
    reference = reference_alignment(of.task, of.src, answer)
    assert reference is not None
    places = [int(row.nonzero()[0, 0]) for row in reference if row.any()]
    return any(later < before for before, later in pairwise(places))


@every
def test_the_short_sentence_is_right_and_so_short_that_numbers_stand_in_the_cells(kind: str, way: str) -> None:
    of = example(kind, SHORT[f"translate {way}"])
    assert of.written == of.answer
    assert max(len(of.src), len(of.written) - 1) <= PRINTED


@every
def test_a_word_stands_twice_in_a_sentence_that_is_unseen_and_right(kind: str, way: str) -> None:
    of = example(kind, WITH_A_WORD_TWICE[f"translate {way}"])
    assert len(set(of.src)) < len(of.src)
    assert of.written == of.answer
    assert is_held_out(of.english)


@every
def test_three_words_say_something_else_the_other_way_round(kind: str, way: str) -> None:
    of = example(kind, OF_TWO_ORDERS[f"translate {way}"])
    start, first, verb, last, end = of.src
    other = of._replace(src=[start, last, verb, first, end])
    assert first != last
    assert (of.answer is None) == (other.answer is None)
    assert of.written != other.written


@every
def test_of_the_sentence_for_sampling_the_model_is_unsure_and_the_likelier_output_is_a_better_one(
    kind: str, way: str
) -> None:
    """Its words are known, at one step no token has much more than half of the probability, and a beam finds what
    greedy decoding misses."""
    of = example(kind, UNSURE[f"translate {way}"])
    assert of.written != of.answer
    src = torch.tensor([of.src])
    greedy, beam = (
        beam_search(of.checkpoint.model, src, None, 20, width, alpha, end=2) for width, alpha in ((1, 0.0), (4, 0.6))
    )
    alone, best = greedy.finished(0.0)[0], beam.finished(0.6)[0]
    assert beam.nodes[best].score > greedy.nodes[alone].score
    log_probs, _ = forward(of.checkpoint.model, tuple(of.src), tuple(of.written[:-1]))
    assert float(log_probs[0].exp().amax(-1).min()) < 0.6


@pytest.mark.parametrize(("kind", "way"), [(TRANSLATOR, "en-zh"), (TRANSLATOR, "zh-en"), (OF_ENGLISH, "en-es")])
def test_the_word_whose_scores_a_newcomer_meets_is_a_noun(kind: str, way: str) -> None:
    word = int(beginning("scaling", kind, way.startswith("zh"))["word"])
    of = example(kind, EXAMPLES[f"translate {way}"])
    assert of.task.source.names[of.src[word]] in of.task.grammar.nouns


@pytest.mark.parametrize("reader", [{"model": kind} for kind in FILES])
@pytest.mark.parametrize(
    ("chapter", "rows"), [("tokens", ("row", "vector", "twice", "laid")), ("positions", ("vector",))]
)
def test_a_row_that_draws_a_part_of_its_numbers_ends_with_an_ellipsis(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, chapter: str, rows: tuple[str, ...], reader: dict[str, str]
) -> None:
    _, v, scenes = telling(chapter, open_link, monkeypatch, **reader)
    seen = 0
    for _, *both in scenes:
        for told, stage in zip(both, (WIDE, NARROW), strict=True):
            for beat in told.beats:
                named: dict[str, Actor] = {actor.name: actor for actor in beat.actors}
                for name, actor in named.items():
                    if isinstance(actor, Grid) and name.split()[0] in rows and len(actor.values[0]) < v.d_model:
                        rest = named[f"rest {name}"]
                        assert isinstance(rest, Word)
                        assert rest.text == "…"
                        assert actor.x + actor.width <= rest.x <= stage.width
                        seen += 1
    assert seen


@pytest.mark.parametrize(("kind", "chinese"), [(TRANSLATOR, True), (TRANSLATOR, False), (OF_ENGLISH, False)])
def test_the_turn_at_which_sampling_opens_has_more_than_one_likely_token(kind: str, chinese: bool) -> None:
    begins = beginning("ways", kind, chinese)
    of = example(kind, begins["src"])
    log_probs, _ = forward(of.checkpoint.model, tuple(of.src), tuple(of.written[:-1]))
    turn = int(begins.get("turn", Sampling().turn))
    assert float(log_probs[0, turn - 1].exp().topk(2).values[1]) > 0.1
