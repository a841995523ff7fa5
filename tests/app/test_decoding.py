"""The decoding chapter: every turn is the model's own."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from tests.app import boards
from tests.app.conftest import Open, in_turn
from transformer_core import copy_sequences, greedy_decode, greedy_steps, padding_mask
from ui.model.current_model import model_at_hand
from ui.model.shipped import shipped
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words


def test_the_shipped_model_copies_the_notes_sequence(open_link: Open) -> None:
    app = open_link("decoding")
    assert any("⟨s⟩ 3 2 5 4 6 7 8 9 10" in text.value and "9 of 9" in text.value for text in app.markdown)


def written(app: Any) -> str:
    """The two rows of tokens above the first board."""
    rows = next(block.body for block in app.get("html") if 'class="tokens"' in block.body)
    return boards.unexplained(rows)


def test_a_token_that_is_no_copy_is_marked_where_it_is_written(open_link: Open) -> None:
    assert "✗" not in written(open_link("decoding", turn="9"))
    app = open_link("decoding", model="fresh", src="1 3 2 5 4", turn="4", lang="en")
    choices = boards.matrices(app, "decoding.turn")["probabilities"].argmax(1)
    wrong = [turn for turn, (choice, wanted) in enumerate(zip(choices, (3, 2, 5, 4))) if choice != wanted]
    assert wrong
    assert written(app).count("✗") == len(wrong)
    labels = boards.panel(app, "decoding.turn", "probabilities")["labels"]["row"]
    assert [turn for turn, label in enumerate(labels) if "✗" in label] == wrong


@pytest.mark.parametrize(
    ("model", "length", "said"), [("trained", 11, True), ("trained", 10, False), ("fresh", 12, False)]
)
def test_a_source_longer_than_any_in_training_is_named(open_link: Open, model: str, length: int, said: bool) -> None:
    app = open_link("decoding", model=model, src=" ".join(["1", *["3"] * (length - 1)]), turn="1", lang="zh")
    sentence = Words("decoding", "zh")("longer", length=length, trained=10)
    assert [info.value for info in app.info] == [sentence] * said


def test_the_turn_is_limited_by_the_source(open_link: Open) -> None:
    app = open_link("decoding", src="1 4 2", turn="40")
    assert app.slider[0].max == 2
    assert app.slider[0].value == 2


RUNS = ["N:1,h:1,d_model:16", "N:3,h:8,d_model:32", "N:1,h:2,d_model:16,norm_first:false,scale:false"]


@pytest.mark.parametrize("model", [{"model": "trained"}, {"model": "fresh"}, {"model": "notes"}] + [
    {"model": "run", "run": f"{run},steps:2,warmup:1,seed:4"} for run in RUNS
])  # fmt: skip
@pytest.mark.parametrize("src", ["1 2", "1 3 0 2 2 0"])
def test_mask_cross_attention_and_probabilities_of_a_turn_are_those_of_the_loop(
    open_link: Open, model: dict[str, str], src: str
) -> None:
    at_hand = model_at_hand(Frame(model=model["model"], run=model.get("run", "")), 300)
    sources = torch.tensor([[int(token) for token in src.split()]])
    steps = list(greedy_steps(at_hand.load(), sources, padding_mask(sources), sources.size(1)))
    for turn in {1, len(steps)}:
        layer = at_hand.config.N - 1
        app = open_link("decoding", src=src, turn=str(turn), layer=str(layer), lang="en", **model)
        assert not app.exception
        shown, step = boards.matrices(app, "decoding.turn"), steps[turn - 1]
        assert shown["mask"].tolist() == np.tri(turn).tolist()
        cross = step.trace[f"decoder.layers.{layer}.src_attn.weights"][0, :, -1]
        np.testing.assert_allclose(shown["cross"], cross, atol=1e-6)
        np.testing.assert_allclose(shown["probabilities"][-1], step.log_probs[0].exp(), atol=1e-6)


def test_begun_with_padding_the_loop_is_another_and_the_shipped_model_makes_mistakes(open_link: Open) -> None:
    model = shipped().model
    sources = copy_sequences(11, 200, 8, generator=torch.Generator().manual_seed(5))
    begun = {start: greedy_decode(model, sources, padding_mask(sources), 8, start)[:, 1:] for start in (0, 1)}
    right = {start: (output == sources[:, 1:]).all(1) for start, output in begun.items()}
    assert 0.3 < float(right[0].float().mean()) < 0.9 < float(right[1].float().mean())
    at = int((~right[0]).nonzero()[0])
    app = open_link("decoding", start="0", src=" ".join(map(str, sources[at].tolist())))
    output = " ".join(map(str, [0, *begun[0][at].tolist()]))
    assert any(f"**{output}**" in text.value for text in app.markdown)


def test_the_start_symbol_is_a_token_of_the_model_at_hand(open_link: Open) -> None:
    app = open_link("decoding", start="900")
    start = app.selectbox(key="decoding:start")
    assert start.options == ["⟨pad⟩", "⟨s⟩", *map(str, range(2, 11))]
    assert start.value == 10


@in_turn("src", ["", "x", "1 99", "1 " * 40, "1 " * 41, "0 0 0"])
def test_no_source_breaks_the_page(open_link: Open, lang: str, src: str) -> None:
    app = open_link("decoding", src=src, turn="63", layer="5", cell="cross.77.77", lang=lang)
    assert not app.exception
    assert any("1" in block.value for block in app.markdown)


def test_a_lone_start_symbol_is_explained(open_link: Open) -> None:
    app = open_link("decoding", src="1")
    assert not app.exception
    assert app.warning


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_start_symbol_shows_as_one_and_the_field_says_what_it_is(open_link: Open, lang: str) -> None:
    app = open_link("decoding", src="1 3 2", start="1", lang=lang)
    labels = boards.panel(app, "decoding.turn", "cross")["labels"]["column"]
    assert labels == ["⟨s⟩", "3", "2"]
    assert app.text_input[0].help == Words("shell", lang)("start_symbol")
    begun = open_link("decoding", src="1 3 2", start="2", lang=lang)
    assert boards.panel(begun, "decoding.turn", "mask")["labels"]["row"][0] == "2", "another start is no start symbol"


def test_in_a_lecture_the_arrows_lead_from_turn_to_turn_and_then_to_the_words(open_link: Open) -> None:
    app = open_link("decoding", present="1", src="1 4 2", turn="1", lang="en")
    app.button(key="lecture.on").click().run()
    assert app.slider(key="decoding:turn").value == 2
    app.button(key="lecture.on").click().run()
    assert boards.boards(app) == ["decoding.aligned"]
    app.button(key="lecture.on").click().run()
    assert boards.boards(app) == []
    app.toggle(key="decoding.parting.show").set_value(True).run()
    assert boards.boards(app) == ["decoding.lanes", "decoding.looks"]
    for title in ("cache.title", "reading.title"):
        app.button(key="lecture.on").click().run()
        assert boards.boards(app) == []
        assert Words("decoding", "en")(title) in [heading.value for heading in app.header]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_ten_untrained_models_stand_in_one_table_and_what_is_counted_is_counted_there(
    open_link: Open, lang: str
) -> None:
    app = open_link("decoding", open="untrained", untrained_seed="30", lang=lang)
    outputs = boards.matrices(app, "decoding.untrained")["untrained"].astype(int)
    assert outputs.shape == (10, 10)
    assert not outputs[:, 0].any(), "the notes begin with 0"
    chosen = outputs[:, 1:].tolist()
    again = sum(a == b for row in chosen for a, b in pairwise(row))
    said = Words("decoding", lang)(
        "untrained.why",
        models=10,
        copied=sum(row == list(range(2, 11)) for row in chosen),
        kinds=f"{sum(len(set(row)) for row in chosen) / 10:.2g}",
        turns=9,
        again=f"{again / 80:.0%}",
        different=len(set(map(tuple, chosen))),
        start=0,
        d_model=64,
    )
    assert said in boards.written(app)
