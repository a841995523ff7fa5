"""The story of decoding: what its scenes say is what the model does, and the other future is the one that its rule
names."""

from collections import Counter

import pytest
import torch

from tests.app import boards
from tests.app.conftest import Open
from tests.app.telling import telling
from tests.app.test_stories import READERS
from transformer_core import greedy_steps, padding_mask, record, subsequent_mask
from transformer_core.tasks.grammar import english_chinese, english_spanish
from ui.chapters.decoding.story_values import DecodingStoryValues, lost
from ui.figures.actors import Box, Word
from ui.figures.number import percent
from ui.sections.story import Told

ENGLISH = {word for grammar in (english_chinese(), english_spanish()) for word in grammar.words(0)}
MARKS = {*"?¿.。？"}  # of no language


def seen(open_link: Open, monkeypatch: pytest.MonkeyPatch, **link: str) -> tuple[DecodingStoryValues, dict[str, Told]]:
    """The values of the story, and its scenes on the wide stage by their names."""
    _, found, scenes = telling("decoding", open_link, monkeypatch, **link)
    assert isinstance(found, DecodingStoryValues)
    return found, {scene.name: wide for scene, wide, _ in scenes}


def decoded(v: DecodingStoryValues, prefix: tuple[int, ...] = ()) -> tuple[list[int], list[torch.Tensor]]:
    """The core's own loop: the output, and the probabilities of each turn."""
    src, end, output = torch.tensor([v.src]), v.at_hand.target.end, [1]
    chances = []
    for step in greedy_steps(v.at_hand.load(), src, padding_mask(src), v.at_hand.most(v.src), 1, prefix=prefix):
        at = len(output) - 1
        output.append(prefix[at] if at < len(prefix) else int(step.choice))
        chances.append(step.log_probs[0].exp())
        if output[-1] == end:
            break
    return output, chances


def second(chances: torch.Tensor) -> int:
    return int(chances.argsort(descending=True, stable=True)[1])


@pytest.mark.parametrize("reader", READERS)
def test_the_other_future_is_the_earliest_of_those_that_lose_most(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    v, scenes = seen(open_link, monkeypatch, **READERS[reader])
    output, chances = decoded(v)
    assert output == v.output
    futures = [decoded(v, (*output[1:turn], second(chances[turn - 1])))[0] for turn in range(1, len(output))]
    target = v.at_hand.target
    kinds = [
        {
            word in ENGLISH
            for word in (target.every[token] for token in each[1:] if token != target.end)
            if word not in MARKS
        }
        for each in (output, *futures)
    ]
    pure = [turn for turn in range(1, len(output)) if kinds[turn] <= kinds[0]] or list(range(1, len(output)))
    gone = {turn: (Counter(output[turn + 1 :]) - Counter(futures[turn - 1][turn + 1 :])).total() for turn in pure}
    most = min(turn for turn in pure if gone[turn] == max(gone.values()))
    assert v.fork.turn == most
    assert v.fork.turns[-1].output == futures[most - 1]
    said = scenes["fork"].said
    assert said["turn"] == most
    assert said["loser"] == target.every[futures[most - 1][most]]
    assert said["share"] == percent(float(chances[most - 1][futures[most - 1][most]]))
    same = output[most + 1 :] == futures[most - 1][most + 1 :]
    assert scenes["fork"].words == ("same" if same else "")


@pytest.mark.parametrize("reader", ["newcomer", "numbers", "chinese"])
def test_the_loop_reads_what_it_has_written_and_its_mask_gains_a_step_a_turn(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    v, scenes = seen(open_link, monkeypatch, **READERS[reader])
    output, chances = decoded(v)
    names = v.named(output)
    for beat in (*scenes["begin"].beats[1:], *scenes["loop"].beats):
        words = {actor.name: actor.text for actor in beat.actors if isinstance(actor, Word)}
        read = sum(name.startswith("in ") for name in words)
        written = sum(name.startswith("out ") for name in words)
        assert [words[f"in {at}"] for at in range(read)] == names[:read]
        assert [words[f"out {at}"] for at in range(written)] == names[1 : written + 1]
        assert written in (read - 1, read)
        assert sum(isinstance(actor, Box) and actor.name.startswith("step ") for actor in beat.actors) == read
    assert scenes["begin"].said["share"] == percent(float(chances[0].max()))
    assert scenes["loop"].said["turns"] == len(chances)
    assert scenes["loop"].words == ("" if output[-1] == v.at_hand.target.end else "full")


@pytest.mark.parametrize("reader", ["newcomer", "numbers", "one_word"])
def test_training_reads_the_answer_in_one_pass_and_generating_its_own_words(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    v, scenes = seen(open_link, monkeypatch, **READERS[reader])
    answer = v.at_hand.config.answer(v.src)
    assert v.known == (answer is not None)
    assert scenes["lanes"].words == ("" if v.known else "own")
    assert list(v.right) == (answer if v.known else v.output)
    src, tgt, model = torch.tensor([v.src]), torch.tensor([v.right[:-1]]), v.at_hand.load()
    with torch.inference_mode(), record(model):
        rows = model.generator(model(src, tgt, padding_mask(src), subsequent_mask(tgt.size(1))))[0].argmax(-1)
    words = {actor.name: actor.text for actor in scenes["lanes"].beats[-1].actors if isinstance(actor, Word)}
    lane = [words[f"said {at}"] for at in range(len(rows))]
    assert lane == v.named([1, *rows.tolist()])[1:]
    assert scenes["lanes"].said["passes"] == len(v.fork.turns)
    assert [words[f"in {at}"] for at in range(len(v.fork.turns))] == v.named(v.fork.turns[-1].output[:-1])


@pytest.mark.parametrize("reader", ["newcomer", "numbers"])
def test_taking_over_the_other_future_shows_it_with_the_controls(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    _, scenes = seen(open_link, monkeypatch, **READERS[reader])
    app = open_link("decoding", lang="en", **READERS[reader], **scenes["fork"].settings)
    assert not app.exception
    assert not app.warning
    assert app.text_input(key="decoding:prefix").value == scenes["fork"].settings["prefix"]
    shown = boards.matrices(app, "decoding.turn")
    assert len(shown["mask"]) == int(scenes["fork"].settings["turn"])


def test_of_equal_losses_each_word_counts_as_often_as_it_stands_there() -> None:
    assert lost([5, 5, 7], [5, 9]) == 2
    assert lost([], [4]) == 0
    assert lost([4, 4], [4, 4, 4]) == 0
    assert lost([1, 2], [2, 1]) == 0
