"""What the map plays: the recorded tensors of every turn, and the words that the model at hand writes."""

import base64
import json
import math
import re
from html import unescape
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open
from transformer_core import PAD, greedy_steps, padding_mask, record
from ui.inputs.sequence import example, parse
from ui.model.current_model import ModelAtHand, model_at_hand
from ui.sections.sequence_fields import LONGEST
from ui.settings.chapters import MAP
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words

PATH = re.compile(r"(?:exp\()?([\w.]+)\)? · ")  # in what is told of a picture
WRITTEN = re.compile(r'<text class="(word|given|chance)"[^>]*>([^<]*)</text>')
RUN = 'task:"reverse",steps:1,batch:2,N:3,d_model:16,h:2'


def example_of(at_hand: ModelAtHand) -> tuple[int, ...]:
    """What it reads before anybody has typed anything."""
    return parse(example(at_hand.config, Frame().src), at_hand.source, LONGEST)


def message(app: AppTest) -> dict[str, Any]:
    assert not app.exception
    ((sent,),) = [json.loads(e.proto.json) for e in app.main.get("bidi_component")]
    return dict(sent)


def pictures(sent: dict[str, Any]) -> dict[str, np.ndarray]:
    """The bytes of each small picture, (heads, rows, columns), by the tensor that is said to be in it."""
    every = np.frombuffer(base64.b64decode(sent["bytes"]), np.uint8)
    found = {}
    for picture, (_, _, shown) in zip(sent["pictures"], sent["told"], strict=True):
        named, (heads, rows, columns) = PATH.match(shown), picture["size"]
        assert named
        end = picture["first"] + heads * rows * columns
        found[named[1]] = every[picture["first"] : end].reshape(heads, rows, columns)
    assert sum(picture.size for picture in found.values()) == every.size
    return found


def columns_of(recorded: np.ndarray, columns: int) -> np.ndarray:
    """Of neighbouring numbers the one furthest from zero, so many that `columns` remain."""
    every = math.ceil(recorded.shape[-1] / columns)
    groups = [recorded[..., start : start + every] for start in range(0, recorded.shape[-1], every)]
    return np.stack([np.where(-g.min(-1) > g.max(-1), g.min(-1), g.max(-1)) for g in groups], -1)


def numbers(picture: np.ndarray, path: str, largest: float) -> np.ndarray:
    if path.endswith(("weights", "log_probs")):
        return picture / 255
    return picture / 255 * largest if path.endswith("hidden") else (picture.astype(float) - 127) / 127 * largest


def decoded(at_hand: ModelAtHand, src: tuple[int, ...]) -> list[Any]:
    """The turns of the loop up to the end symbol."""
    sources = torch.tensor([src])
    turns = []
    for turn in greedy_steps(at_hand.load(), sources, padding_mask(sources, PAD), at_hand.most(src)):
        turns.append(turn)
        if int(turn.choice) == at_hand.target.end:
            break
    return turns


@pytest.mark.parametrize(
    "frame",
    [Frame(model="translate"), Frame(model="trained"), Frame(model="fresh_translate"), Frame(model="run", run=RUN)],
)
def test_a_small_picture_is_the_tensor_that_was_recorded_in_every_turn(open_link: Open, frame: Frame) -> None:
    sent = message(open_link(MAP, lang="en", model=frame.model, run=frame.run))
    at_hand = model_at_hand(frame)
    src = example_of(at_hand)
    turns, shown = decoded(at_hand, src), pictures(sent)
    with record(at_hand.load()) as encoded, torch.no_grad():
        sources = torch.tensor([src])
        at_hand.load().encode(sources, padding_mask(sources, PAD))
    assert len(sent["turns"]) == len(turns)
    assert f"decoder.layers.{at_hand.config.N - 1}.src_attn.weights" in shown
    for path, picture in shown.items():
        rows = [encoded[path][0].numpy()] if path in encoded else [turn.trace[path][0].numpy() for turn in turns]
        if path.endswith("log_probs"):
            rows = [np.exp(row) for row in rows]
        largest = max(float(np.abs(row).max()) for row in rows)
        high = 1.0 if path.endswith(("weights", "log_probs")) else largest
        for t, row in enumerate(rows, 1):
            known = np.atleast_3d(np.atleast_2d(row).T).T  # (heads, rows, columns)
            last = known.shape[1] if len(rows) == 1 else t
            read = numbers(picture, path, largest)[
                :, last - known.shape[1] : last
            ]  # the generator makes one row a turn
            if ".self_attn.weights" in path:
                read = read[..., : known.shape[2]]  # no column of a later token
            elif known.shape[0] == 1:
                known = columns_of(known, picture.shape[2])
            assert np.abs(read - known).max() <= high / 250, (path, t)


@pytest.mark.parametrize("model", ["translate", "trained", "fresh"])
def test_the_words_are_those_that_the_model_writes_with_their_probabilities(open_link: Open, model: str) -> None:
    sent = message(open_link(MAP, model=model))
    at_hand = model_at_hand(Frame(model=model))
    src = example_of(at_hand)
    turns = decoded(at_hand, src)
    found: dict[str, list[str]] = {"word": [], "given": [], "chance": []}
    for kind, text in WRITTEN.findall(sent["sentence"]):
        found[kind].append(unescape(text))
    assert found["given"] == at_hand.source.labels(src)
    words = at_hand.target.labels([1, *(int(turn.choice) for turn in turns)])[1:]
    assert found["word"] == words == [word for word, _ in sent["turns"]]
    for said, turn in zip(found["chance"], turns):
        chance = float(turn.log_probs.exp().max())
        near = pytest.approx(100 * chance, abs=0.06)
        assert chance > 0.999 if said == ">\xa099.9%" else float(said.rstrip("%")) == near


def test_a_short_sequence_is_one_turn(open_link: Open) -> None:
    sent = message(open_link(MAP, model="trained", src="1"))
    assert len(sent["turns"]) == 1


def test_the_same_sentence_is_the_same_message_so_that_it_is_sent_once(open_link: Open) -> None:
    app = open_link(MAP, model="translate")
    first = message(app)
    assert message(app.run()) == first


def through(app: AppTest, door: str, lang: str) -> AppTest:
    (button,) = [each for each in app.main.button if each.label.strip("*") == Words(MAP, lang)(f"door.{door}")]
    assert not button.click().run().exception
    return app


@pytest.mark.parametrize("lang", LANGUAGES)
def test_two_doors_lead_on_with_the_same_sentence_and_the_notes_path_with_the_copier_and_its_own(
    open_link: Open, lang: str
) -> None:
    for door, chapter in (("head", "attention"), ("train", "training")):
        app = through(open_link(MAP, lang=lang, model="translate", src="cats sleep"), door, lang)
        assert app.title[0].value == Words(chapter, lang)("title")
        assert app.query_params["model"] == "translate"
        assert app.query_params["src"] == "cats sleep"
    app = through(open_link(MAP, lang=lang, model="translate", src="cats sleep"), "notes", lang)
    assert app.title[0].value == Words("tokens", lang)("title")
    assert app.text_input(key="frame:src").value == Frame.default().src
    assert app.selectbox(key="frame:model").value == "trained"
    app.selectbox(key="frame:model").set_value("translate").run()
    assert app.text_input(key="frame:src").value == "cats sleep"
