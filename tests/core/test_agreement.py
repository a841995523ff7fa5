"""Words that follow a noun: found with the grammar, and held by what the shipped models write and where they look."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from transformer_core import PAD, greedy_decode, padding_mask, record, target_mask
from transformer_core.experiments.agreement import NounSwap, agreement_looks, noun_swap
from transformer_core.tasks import Copy, Translation
from transformer_core.tasks.grammar import beside_english
from transformer_core.training.checkpoint import Checkpoint, load

FOLDER = Path(__file__).parents[2] / "assets" / "model"
SHIPPED = {"zh": "translate.safetensors", "es": "spanish.safetensors"}
SENTENCE = "I buy two red flowers every day"


def read(task: Translation, text: str) -> tuple[int, ...]:
    return tuple(task.source.sequence(task.source.read(text)))


def words(task: Translation, tokens: tuple[int, ...], places: tuple[int, ...]) -> list[str]:
    return task.target.names_of(tokens[at] for at in places)


@pytest.mark.parametrize(
    ("direction", "text", "nouns", "before", "after"),
    [
        ("both-es", SENTENCE, ("flowers", "books"), ["rojas"], ["rojos"]),
        ("both", SENTENCE, ("flowers", "books"), ["朵"], ["本"]),
        ("both-es", "this flower", None, [], []),
        ("both-es", "my teacher reads a new book in the library", ("library", "garden"), ["la"], ["el"]),
        ("both", "我每天买两朵红色的花", None, [], []),  # its measure word would have to change with it
    ],
)
def test_another_noun_changes_the_words_that_follow_it(
    direction: str, text: str, nouns: tuple[str, str] | None, before: list[str], after: list[str]
) -> None:
    task = Translation(direction)
    source = read(task, text)
    swap = noun_swap(task, source)
    assert (swap is None) == (nouns is None)
    if swap is not None and nouns is not None:
        assert words(task, swap.before, swap.agree) == before
        assert words(task, swap.after, swap.agree) == after
        assert task.source.names[source[swap.place]] == nouns[0]
        assert [at for at, (one, two) in enumerate(zip(source, swap.source, strict=True)) if one != two] == [swap.place]
        assert list(swap.after) == task.answer(swap.source)


def test_a_task_without_nouns_has_none_to_change() -> None:
    assert noun_swap(Copy(11, 10), (1, 3, 2)) is None
    assert noun_swap(None, (1, 3, 2)) is None


def test_the_nouns_of_a_language_are_its_nouns() -> None:
    assert {"flowers", "flower", "flores", "jardín"} <= beside_english("es").nouns
    assert {"flowers", "花", "图书馆"} <= beside_english("zh").nouns
    for other in ("es", "zh"):
        assert not {"red", "f", "m", "朵", "animal", "rojas", "buy"} & beside_english(other).nouns


def swaps(shipped: Checkpoint, count: int) -> Iterator[tuple[tuple[int, ...], NounSwap]]:
    """Unseen sentences in which a word follows a noun."""
    task = shipped.config.words
    assert isinstance(task, Translation)
    for row in task.held_out(count).src.tolist():
        source = tuple(token for token in row if token != PAD)
        swap = noun_swap(task, source)
        if swap is not None and swap.agree:
            yield source, swap


def written(shipped: Checkpoint, source: tuple[int, ...], most: int) -> tuple[int, ...]:
    src = torch.tensor([source])
    return tuple(greedy_decode(shipped.model, src, padding_mask(src), most, end=2)[0].tolist())


@pytest.mark.parametrize("other", SHIPPED)
def test_the_shipped_models_write_another_ending_for_another_noun(other: str) -> None:
    """The intervention: one word of the source is replaced, and the words that follow it change in the output."""
    shipped, right, tried = load(FOLDER / SHIPPED[other]), 0, 0
    for source, swap in swaps(shipped, 80):
        most = len(swap.before) + 2
        tried += 1
        right += (written(shipped, source, most), written(shipped, swap.source, most)) == (swap.before, swap.after)
    assert tried >= 10
    assert right >= tried - 1, "one may be barely unsure, on another processor"


def test_before_rojas_a_head_looks_at_flores_with_most_of_its_attention() -> None:
    shipped = load(FOLDER / SHIPPED["es"])
    task = shipped.config.words
    assert isinstance(task, Translation)
    source = read(task, SENTENCE)
    swap = noun_swap(task, source)
    assert swap is not None
    src, given = torch.tensor([source]), torch.tensor([swap.before[:-1]])
    with torch.inference_mode(), record(shipped.model) as trace:
        shipped.model(src, given, padding_mask(src, PAD), target_mask(given, PAD))
    looks = agreement_looks(trace, swap)
    assert len(looks) == 3 * shipped.config.h, "three ways to the noun: its own language, both, the translation"
    first = looks[0]
    assert (first.kind, task.target.names[swap.before[first.key]]) == ("decoder", "flores")
    assert first.weight > 0.75
    assert first.weight == pytest.approx(
        float(trace["decoder.layers.0.self_attn.weights"][0, first.head, first.query, first.key])
    )
    assert task.source.names[source[swap.stands_for[first.word][0]]] == "red"
    of_encoder = next(look for look in looks if look.kind == "encoder")
    assert (source[of_encoder.query], source[of_encoder.key]) == tuple(task.source.read("red flowers"))
    row = trace["encoder.layers.0.self_attn.weights"][0, of_encoder.head, of_encoder.query]
    assert int(row.argmax()) == of_encoder.key, "of all words it looks most at the noun"
