"""What the story of masks claims, held to the model's own passes."""

from typing import TypeVar

import numpy as np
import pytest
import torch

from tests.app.conftest import Open
from tests.app.telling import telling
from transformer_core import PAD, padding_mask, subsequent_mask
from ui.chapters.masks import story_values
from ui.chapters.masks.probes import causality
from ui.figures.actors import Actor, Box, Grid, Word
from ui.figures.number import number
from ui.inputs.sequence import EXAMPLES, parse
from ui.model.current_model import ModelAtHand
from ui.model.recorded import answer
from ui.model.shipped import peeking
from ui.sections.story import Told

SENTENCES = {"translate": "my teacher reads a new book in the library", "trained": "1 5 5 2 8"}
BOTH = pytest.mark.parametrize("model", SENTENCES)


A = TypeVar("A", bound=Actor)


def scenes_of(open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str, src: str = "") -> tuple[
    dict[str, Told], ModelAtHand, torch.Tensor, torch.Tensor
]:  # fmt: skip
    """The scenes by name on the wide stage, the model, its source and what its decoder is given."""
    page, _, scenes = telling("masks", open_link, monkeypatch, model=model, src=src or SENTENCES[model])
    read = parse(src or SENTENCES[model], page.at_hand.source, 40)
    given = answer(page.at_hand, read)[:-1]
    wide = {scene.name: one for scene, one, _ in scenes}
    return wide, page.at_hand, torch.tensor([read]), torch.tensor([given])


def last(scene: Told, kind: type[A]) -> dict[str, A]:
    return {actor.name: actor for actor in scene.beats[-1].actors if isinstance(actor, kind)}


@BOTH
def test_row_t_shows_the_words_up_to_t_and_has_a_card_over_those_after_it(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    scenes, at_hand, _, given = scenes_of(open_link, monkeypatch, model)
    names, count = at_hand.target.labels(given[0].tolist()), given.size(1)
    words, cards = last(scenes["card"], Word), last(scenes["card"], Box)
    seen = {(row, column) for row in range(count) for column in range(count) if f"word {row} {column}" in words}
    assert seen == {(row, column) for row in range(count) for column in range(row + 1)}
    assert {name for name in cards if name.startswith("card")} == {f"card {row}" for row in range(count - 1)}
    assert scenes["card"].said == {"last": names[-2], "next": names[-1]}
    for row in range(count - 1):
        right = words[f"word {row} {row}"].x
        card = cards[f"card {row}"]
        assert right < card.x
        assert card.x + card.width < words[f"guess {row}"].x


@BOTH
def test_the_shares_of_a_row_are_those_of_the_model_and_sum_to_one_under_the_mask(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    scenes, _, _, given = scenes_of(open_link, monkeypatch, model)
    strips = last(scenes["table"], Grid)
    weights = np.concatenate([np.asarray(strips[f"strip {row}"].values) for row in range(given.size(1))])
    assert weights.sum(1) == pytest.approx(1)
    assert not np.triu(weights, 1).any()
    assert weights[0, 0] == 1


@BOTH
def test_a_changed_word_reaches_earlier_rows_where_the_card_is_lifted_and_nowhere_else(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    scenes, at_hand, src, given = scenes_of(open_link, monkeypatch, model)
    said, names = scenes["leak"].said, at_hand.target.labels(given[0].tolist())
    column = int(str(scenes["leak"].settings["causal_cell"]).split(".")[2])
    assert said["old"] == names[column]
    changed = given.clone()
    changed[0, column] = at_hand.target.every.index(str(said["new"]))
    assert changed[0, column] not in (given[0, column], PAD)
    mask = padding_mask(src, PAD)
    outputs = {}
    with torch.no_grad():
        for look_ahead in (True, False):
            ahead = subsequent_mask(given.size(1)) if look_ahead else torch.ones_like(subsequent_mask(given.size(1)))
            both = (at_hand.load()(src, tokens, mask, ahead)[0] for tokens in (given, changed))
            before, after = both
            outputs[look_ahead] = (after - before).abs().amax(-1)
    assert not outputs[True][:column].any()
    assert said["rows"] == column
    assert said["count"] == int((outputs[False][:column] > 1e-4).sum())
    assert float(str(said["most"])) == pytest.approx(float(outputs[False][:column].max()), rel=0.06)
    bars = last(scenes["leak"], Word)
    assert {bars[f"under figure {row}"].text for row in range(column)} == {"0"}


@BOTH
def test_alone_a_row_is_as_in_training_under_the_card_only(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    scenes, at_hand, src, given = scenes_of(open_link, monkeypatch, model)
    mask, said = padding_mask(src, PAD), scenes["alone"].said
    with torch.no_grad():
        whole = at_hand.load()(src, given, mask, None)[0]
        apart = [
            float((at_hand.load()(src, given[:, : row + 1], mask, None)[0, -1] - whole[row]).abs().max())
            for row in range(given.size(1))
        ]
    assert said["row"] == at_hand.target.labels(given[0].tolist())[int(np.argmax(apart))]
    assert float(str(said["apart"])) == pytest.approx(max(apart), rel=0.06)
    figures = last(scenes["alone"], Word)
    assert figures["under figure 0"].text != figures["lifted figure 0"].text


@pytest.mark.parametrize(
    ("model", "src"), [("translate", SENTENCES["translate"]), ("translate", "白色的猫睡觉"), ("trained", "1 5 5 2")]
)
def test_a_model_trained_without_the_card_reads_the_next_word_and_cannot_write(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str, src: str
) -> None:
    scenes, *_ = scenes_of(open_link, monkeypatch, model, src)
    config, peeks = peeking().config, peeking().model
    words = config.vocabularies[0]
    read = parse(src if model == "translate" else EXAMPLES["translate en-zh"], words, 40)
    right = config.answer(read)
    assert right
    source, target = torch.tensor([read]), torch.tensor([right])
    mask = padding_mask(source, PAD)
    with torch.no_grad():  # with the end symbol read as well, as where a sentence is followed by paddings
        shares = peeks.generator(peeks(source, target, mask, None))[0, :-1].softmax(-1).gather(-1, target[0, 1:, None])
        output = target[:, :1]
        while output.size(1) < len(right) and output[0, -1] != words.end:
            row = peeks(source, output, mask, subsequent_mask(output.size(1)))[:, -1]
            output = torch.cat([output, peeks.generator(row).argmax(-1, keepdim=True)], 1)
    written, names = (config.vocabularies[1].labels(tokens)[1:] for tokens in (output[0].tolist(), right))
    said, actors = scenes["peeks"].said, last(scenes["peeks"], Word)
    hits = sum(one == other for one, other in zip(written, names))
    assert (said["right"], said["count"]) == (hits, len(names))
    assert said["loss"] == number(-float(shares.log().mean()), 1)
    assert actors["sentence"].text == words.text(read)
    assert [actors[f"written {row}"].text for row in range(len(written))] == written
    wrong = [actors[f"written {row}"].color == "wrong" for row in range(len(written))]
    assert wrong == [one != other for one, other in zip(written, names)]
    assert {"correct", "own", "share"} <= set(actors), "each column has its name"
    assert scenes["peeks"].words == ""
    assert hits < len(names) / 2
    assert shares.min() > 0.7


def test_where_it_does_not_hold_of_a_sentence_the_scene_says_no_more_than_the_numbers(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.app.telling._told", {})  # told anew
    monkeypatch.setattr(story_values, "LEARNED", 0.0)
    scenes, *_ = scenes_of(open_link, monkeypatch, "translate")
    assert scenes["peeks"].words == "mixed"


@BOTH
def test_paddings_get_no_share_of_any_row_under_their_card(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    scenes, at_hand, src, _ = scenes_of(open_link, monkeypatch, model)
    rows = [one for one in scenes["padding"].beats[-1].actors if isinstance(one, Grid)]
    read = [one for one in scenes["padding"].beats[0].actors if isinstance(one, Grid)]
    assert len(rows) == src.size(1)
    for under, lifted in zip(rows, read):
        assert not np.asarray(under.values)[0, src.size(1) :].any()
        assert np.asarray(lifted.values)[0, src.size(1) :].all()
    assert scenes["padding"].said["word"] in at_hand.source.labels(src[0].tolist())


def test_a_model_that_makes_nothing_of_later_words_is_not_said_to_read_them(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.app.telling._told", {})  # told anew
    monkeypatch.setattr(story_values, "causality", lambda at_hand, src, given, _: causality(at_hand, src, given, True))
    scenes, *_ = scenes_of(open_link, monkeypatch, "trained")
    assert scenes["leak"].words == "blind"
    assert scenes["card"].words == ""


def test_an_answer_of_one_row_has_no_story(open_link: Open) -> None:
    app = open_link("masks", scene="1", model="trained", src="1", lang="en")
    assert not app.exception
    assert any("no story" in info.value for info in app.info)


def test_a_long_sequence_is_told_by_its_first_words(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, scenes = telling("masks", open_link, monkeypatch, model="trained", src=" ".join(["1", *["2", "3", "4"] * 12]))
    rows = {name for name in last(scenes[0][1], Word) if name.startswith("guess")}
    assert len(rows) == 12


def test_where_words_would_be_too_small_on_a_phone_they_stand_beside_the_rows(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, _, scenes = telling("masks", open_link, monkeypatch, model="translate", src="我的老师在图书馆里看一本新书")
    given = answer(page.at_hand, parse("我的老师在图书馆里看一本新书", page.at_hand.source, 40))[:-1]
    names = page.at_hand.target.labels(given)
    for scene, wide, narrow in scenes[:4]:
        words = last(narrow, Word)
        assert [words[f"row {row}"].text for row in range(len(names))][: len(names) // 2] == names[: len(names) // 2]
        assert all(words[f"row {row}"].size >= 8 for row in range(len(names))), scene.name
        cells = {one.name for beat in narrow.beats for one in beat.actors if one.name.startswith("cell")}
        seen = {one.name for beat in wide.beats for one in beat.actors if one.name.startswith("word")}
        assert {name.replace("word", "cell") for name in seen} == cells
