"""A word that follows a noun, as the stories tell it: found with the model, and true of what it writes and looks at."""

import re
from typing import Any

import numpy as np
import pytest
import torch

from tests.app.conftest import Open
from tests.app.telling import Scenes, telling
from transformer_core import greedy_decode, padding_mask
from transformer_core.tasks import Translation
from ui.figures import percent
from ui.frame.chapter import Chapter
from ui.inputs.sequence import EXAMPLES
from ui.model.recorded import forward
from ui.model.shipped import FILES, shipped
from ui.sections.story import Told, sentence

LINKS = {
    "en-es": {"model": "spanish"},
    "es-en": {"model": "spanish", "src": EXAMPLES["translate es-en"]},
    "en-zh": {"model": "translate"},
    "zh-en": {"model": "translate", "src": EXAMPLES["translate zh-en"]},
}


def written(model: str, text: str) -> list[str]:
    config = shipped(model).config
    source, target = config.vocabularies
    src = torch.tensor([source.sequence(source.read(text))])
    ids = greedy_decode(shipped(model).model, src, padding_mask(src), 17, end=2)[0].tolist()
    return target.labels(ids)[1:]


def test_one_head_tells_of_the_word_that_has_to_look_at_the_noun(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, v, _ = telling("attention", open_link, monkeypatch, model="spanish")
    assert (v.words[v.row], v.words[v.best]) == ("red", "flowers")
    assert int(np.argmax(v.weights)) == v.best
    ids = shipped("spanish").config.vocabularies[0].tokens_of(v.words)
    weights = forward(shipped("spanish").model, tuple(ids), (1,))[1]["encoder.layers.0.self_attn.weights"][0]
    np.testing.assert_allclose(v.weights, weights[v.number, v.row].numpy(), atol=1e-5)
    others = weights[:, v.row].amax(-1) == weights[:, v.row, v.best]
    assert float(weights[others, v.row, v.best].max()) == pytest.approx(float(v.weights[v.best])), "of these heads most"


@pytest.mark.parametrize(("direction", "word"), [("en-es", "rojas"), ("en-zh", "朵")])
def test_with_another_noun_the_word_that_follows_it_is_another(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, direction: str, word: str
) -> None:
    link = LINKS[direction]
    page, v, scenes = telling("attention", open_link, monkeypatch, **link)
    told = scene_of("another", scenes)
    text = EXAMPLES["translate en-es"]
    noun, other = str(told.said["noun"]), str(told.said["other"])
    before, after = (written(link["model"], one) for one in (text, text.replace(noun, other)))
    assert noun == "flowers"
    assert told.said["word"] == word
    at = before.index(word)
    assert told.said["new"] == after[at] != word
    assert v.other.outputs == (before, after)
    assert {noun, other, word, after[at]} <= set(words_said(page, scenes, "another"))


@pytest.mark.parametrize(
    ("link", "changed"),
    [(LINKS["zh-en"], None), ({"model": "trained"}, 1), ({"model": "spanish", "src": "cats"}, None)],
)
def test_where_no_word_follows_a_noun_the_changes_are_counted(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, link: dict[str, str], changed: int | None
) -> None:
    _, v, scenes = telling("attention", open_link, monkeypatch, **link)
    told = scene_of("another", scenes)
    assert told.words == "plain"
    before, after = v.other.outputs
    counted = sum(before[at : at + 1] != after[at : at + 1] for at in range(max(len(before), len(after))))
    assert told.said["changed"] == counted
    assert counted == changed or changed is None


def test_the_other_word_makes_a_sentence_of_the_language_where_there_is_one(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, v, _ = telling("attention", open_link, monkeypatch, **LINKS["zh-en"])
    task = shipped("translate").config.words
    assert isinstance(task, Translation)
    assert [task.answer(task.source.tokens_of(words)) is None for words in v.other.sources] == [False, False]
    assert v.other.noun[0] != v.other.noun[1]


@pytest.mark.parametrize(
    ("direction", "kind", "word", "noun"),
    [("en-es", "decoder", "rojas", "flores"), ("en-zh", "cross", "朵", "flowers")],
)
def test_all_heads_tell_where_the_word_looks_for_its_noun(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, direction: str, kind: str, word: str, noun: str
) -> None:
    link = LINKS[direction]
    _, v, scenes = telling("heads", open_link, monkeypatch, **link)
    told = scene_of("fits", scenes)
    assert (told.words, told.said["word"], told.said["noun"]) == (kind, word, noun)
    model, (source, target) = shipped(link["model"]), shipped(link["model"]).config.vocabularies
    src = tuple(source.sequence(source.read(EXAMPLES["translate en-es"])))
    output = [1, *target.tokens_of(written(link["model"], EXAMPLES["translate en-es"]))]
    trace = forward(model.model, src, tuple(output[:-1]))[1]
    name = {"decoder": "decoder.layers.0.self_attn", "cross": "decoder.layers.0.src_attn"}[kind]
    row = trace[f"{name}.weights"][0, v.own.look.head, target.labels(output).index(word) - 1]
    keys = target.labels(output) if kind == "decoder" else source.labels(src)
    assert keys[int(row.argmax())] == noun, "most of all it looks at the noun"
    assert told.said["share"] == percent(float(row.max()), 0)


@pytest.mark.parametrize("link", [{"model": "trained"}, {"model": "fresh", "fresh": "7"}, LINKS["zh-en"]])
def test_else_they_tell_where_the_decoder_looks_back(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, link: dict[str, str]
) -> None:
    _, v, scenes = telling("heads", open_link, monkeypatch, **link)
    assert scene_of("fits", scenes).words == "back"
    assert v.own.look.key < v.own.look.query
    assert v.own.look.weight == pytest.approx(float(v.own.weights[v.own.look.head][v.own.look.query, v.own.look.key]))


@pytest.mark.parametrize("direction", LINKS)
@pytest.mark.parametrize("chapter", ["attention", "layers", "walkthrough"])
def test_the_word_that_a_story_follows_is_a_noun_or_looks_at_one(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, chapter: str, direction: str
) -> None:
    """So that a quoted word cannot be taken for a part of the sentence that quotes it."""
    _, v, _ = telling(chapter, open_link, monkeypatch, **LINKS[direction])
    words = v.words if chapter != "walkthrough" else v.at_hand.source.labels(v.src)
    task = shipped(LINKS[direction]["model"]).config.words
    assert isinstance(task, Translation)
    told = {words[v.row], words[v.best]} if chapter == "attention" else {words[v.row]}
    assert told & task.grammar.nouns
    if direction != "en-es":
        assert words[v.row] in task.grammar.nouns


def test_every_shipped_model_of_words_is_held_to_this() -> None:
    assert {kind for kind in FILES if shipped(kind).config.words is not None} == {
        one["model"] for one in LINKS.values()
    }


def scene_of(name: str, scenes: Scenes) -> Told:
    (told,) = [wide for scene, wide, _ in scenes if scene.name == name]
    return told


def words_said(page: Chapter[Any], scenes: Scenes, name: str) -> list[str]:
    (said,) = [sentence(page, scene, wide) for scene, wide, _ in scenes if scene.name == name]
    return re.findall(r"\w+", re.sub(r"<[^>]+>", " ", said))
