"""The chapter on the backward pass: every formula gives its gradient, and every stop has its words."""

from typing import Any

import numpy as np
import pytest
import torch

from tests.app.boards import boards, does, matrices, written
from tests.app.conftest import Open
from tests.app.test_own_model import file_of, sit_down, weights_of
from transformer_core import EncoderDecoder, make_model
from transformer_core.adamw import BETAS
from transformer_core.experiments.passing import a_layer, held_by, layer_gradients, reach
from transformer_core.experiments.updates import RATE, NextWord, updates
from transformer_core.tasks import Vocabulary
from ui.chapters.backward.board import board
from ui.chapters.backward.parts import board as weight_board
from ui.chapters.backward.parts import columns_of
from ui.chapters.backward.stops import learned, route
from ui.chapters.backward.values import FIRST, back_values, held, there_and_back
from ui.chapters.backward.weight import moved
from ui.chapters.shared.forward.stops import ForwardStop
from ui.chapters.shared.forward.values import TurnTensors
from ui.figures.evaluated import furthest
from ui.figures.number import number, percent
from ui.inputs.sequence import parse
from ui.model.current_model import ModelAtHand, model_at_hand
from ui.model.recorded import answer
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Typed, Words, load

NAMES = Vocabulary.of_numbers(7), Vocabulary.of_numbers(9)
SRC, TARGET = (1, 5, 2, 6, 3), (1, 7, 3, 8)


def small_model(**how: Any) -> EncoderDecoder:
    torch.manual_seed(0)
    model = make_model(7, 9, N=2, d_model=12, d_ff=10, h=3, **how).eval()
    for name, weight in model.named_parameters():
        if name.endswith(("a_2", "b_2", "bias")):
            torch.nn.init.normal_(weight, std=0.5)
    return model


def law(stop: ForwardStop, values: TurnTensors, model: EncoderDecoder) -> float:
    """How far the formulas of a stop are from its gradient, to the largest number in that."""
    off = furthest(board(stop, values, model, NAMES, Words("backward", "en")))
    assert off is not None
    return off / max(1.0, float(values[stop.path].abs().max()))


@pytest.mark.parametrize("scale", [True, False])
def test_the_formula_of_every_stop_gives_its_gradient_from_its_inputs(scale: bool) -> None:
    model = small_model(scale=scale)
    values = there_and_back(model, SRC, TARGET, 1)
    assert {stop.path: off for stop in route(model) if (off := law(stop, values, model)) > 1e-5} == {}


def test_the_route_leads_from_the_loss_to_all_that_is_learned() -> None:
    model = small_model()
    values, seen = there_and_back(model, SRC, TARGET, 1), set[str]()
    for stop in route(model):
        gradients = {path for path in stop.inputs if path.startswith("∂")}
        ready = {path for path in seen if values[path] is not None}
        same = {path for path in gradients if any(torch.equal(values[path], values[one]) for one in ready)}
        joined = {path for path in gradients if path.removesuffix(".joined") in ready}
        assert gradients <= ready | same | joined, f"{stop.path}: what it is made of was seen before"
        assert {stop.path, *stop.inputs} <= values.keys()
        seen.add(stop.path)
    parameters = [name for name, _ in model.named_parameters()]
    assert {name for name in parameters if f"∂{name}" not in seen} == {
        name for name in parameters if name.endswith("attn.linears.1.bias")
    }
    assert sorted(learned(model)) == sorted(parameters)


def test_every_stop_has_its_words() -> None:
    for stop in route(small_model()):
        assert {f"at.{stop.what}.title", f"at.{stop.what}.text"} <= set(load("backward"))


def test_only_the_wrong_word_counts_and_what_never_stood_there_learns_nothing() -> None:
    values = there_and_back(small_model(), SRC, TARGET, 1)
    logits = values["∂generator.logits"][0]
    assert logits[[0, 2]].abs().max() == 0
    assert logits[1].sum().abs() < 1e-6
    assert int(logits[1].argmin()) == int(values["right"]) == TARGET[2]
    table = values["∂src_embed.0.lut.weight"]
    assert table[[n for n in range(7) if n not in SRC]].abs().max() == 0
    assert (table[list(SRC)].abs().sum(-1) > 0).all()


def test_a_model_that_it_does_not_know_is_said(open_link: Open) -> None:
    app = open_link("backward", model="run", run="norm_first:false,steps:1", step="1", lang="en")
    assert not app.exception
    assert any("normalise before" in info.value for info in app.info)


def largest(gradient: torch.Tensor) -> tuple[int, ...]:
    """The entry with the largest gradient."""
    return tuple(int(at) for at in np.unravel_index(int(gradient.abs().argmax()), gradient.shape))


def test_a_weights_gradient_is_its_parts() -> None:
    model = small_model().double()
    values = there_and_back(model, SRC, TARGET, 1)
    for name, stop in learned(model).items():
        entry = largest(values[f"∂{name}"])
        given, after = columns_of(stop, values, entry)
        parts = after if given is None else given * after
        assert parts.sum() == pytest.approx(float(values[f"∂{name}"][entry]), rel=1e-9, abs=1e-15), name


OF_EACH_KIND = {stop.what: name for name, stop in learned(small_model()).items()}


@pytest.mark.parametrize("name", OF_EACH_KIND.values(), ids=[*OF_EACH_KIND])
def test_a_weights_updates_follow_from_their_formulas(name: str) -> None:
    model, stop = small_model().double(), learned(small_model())[name]
    values = there_and_back(model, SRC, TARGET, 1)
    entry = largest(values[f"∂{name}"])
    given, after = columns_of(stop, values, entry)
    found = updates(model, NextWord(SRC, TARGET[:-1], 1, TARGET[2]), name, entry, 3, weight_decay=0.2)
    tokens = [str(at) for at in range(len(after))]
    picture = weight_board(stop, entry, given, after, found.weight.numpy(), tokens, 0.2, Words("backward", "en"))
    off = furthest(picture)
    assert off is not None
    assert off < 1e-9


def test_a_bias_of_keys_learns_nothing() -> None:
    model = small_model().double()
    values = there_and_back(model, SRC, TARGET, 1)
    biases = [name for name, _ in model.named_parameters() if name.endswith("attn.linears.1.bias")]
    assert len(biases) == 6
    assert max(float(values[f"∂{name}"].abs().max()) for name in biases) < 1e-15
    assert min(float(values[f"∂{name.replace('bias', 'weight')}"].abs().max()) for name in biases) > 1e-5


def test_a_difference_finds_the_gradient_and_the_first_step_lowers_the_loss_as_foretold() -> None:
    name, model = "encoder.layers.1.feed_forward.w_1.weight", small_model().double()
    gradient = there_and_back(model, SRC, TARGET, 1)[f"∂{name}"]
    out, into = divmod(int(gradient.abs().argmax()), 12)
    before = model.get_parameter(name).detach().clone()
    found = moved(model, NextWord(SRC, TARGET[:-1], 1, TARGET[2]), name, (out, into), float(gradient[out, into]))
    assert found.difference == pytest.approx(float(gradient[out, into]), rel=1e-3, abs=1e-8)
    assert found.foretold < 0
    assert found.measured == pytest.approx(found.foretold, rel=0.2)
    assert torch.equal(model.get_parameter(name), before)


def at_hand_of(model: str) -> ModelAtHand:
    return model_at_hand(Frame(model=model))


def place_of(model: str, what: str, path: str = "") -> int:
    """Of the first such stop."""
    stops = route(at_hand_of(model).load())
    return next(at for at, stop in enumerate(stops) if stop.what == what and path in stop.path)


@pytest.mark.parametrize(
    ("what", "cell", "entry"),
    [("matrix", (3, 5), (3, 5)), ("bias", (0, 4), (0, 4)), ("gain", (0, 6), (0, 6)), ("shift", (0, 2), (0, 2)),
     ("table", (7, 1), (7, 1))],
)  # fmt: skip
def test_a_click_on_a_gradient_opens_that_weight_below(
    open_link: Open, what: str, cell: tuple[int, int], entry: tuple[int, int]
) -> None:
    app = open_link("backward", lang="en", model="translate", place=str(place_of("translate", what)))
    name = next(stop for stop in route(at_hand_of("translate").load()) if stop.what == what).path.removeprefix("∂")
    assert Words("backward", "en")("choose") in written(app)
    does(app, "backward.gradient", "chosen", {"cell": ["result", *cell], "number": 1})
    assert not app.exception
    settings = app.session_state["settings"]["backward"]
    assert (settings.matrix, settings.out, settings.into) == (name, *entry)
    assert Words("backward", "en")("chosen", out=entry[0], into=entry[1]) in written(app)
    gradient = matrices(app, "backward.gradient")["result"][cell]
    assert matrices(app, "backward.weight")["adam"][0, 1] == pytest.approx(gradient, rel=1e-3, abs=1e-7)


def test_a_click_in_a_window_is_about_the_whole_matrix(open_link: Open) -> None:
    app = open_link("backward", lang="en", place=str(place_of("trained", "matrix", "w_1")), first_row="30")
    does(app, "backward.gradient", "chosen", {"cell": ["result", 2, 3], "number": 1})
    assert (app.session_state["settings"]["backward"].out, app.session_state["settings"]["backward"].into) == (32, 3)


def test_a_number_that_is_no_weight_opens_none(open_link: Open) -> None:
    app = open_link("backward", lang="en", place=str(place_of("trained", "softmax")))
    does(app, "backward.gradient", "chosen", {"cell": ["result", 0, 1], "number": 1})
    assert app.session_state["settings"]["backward"].matrix == FIRST


@pytest.mark.parametrize(("model", "text"), [("trained", "1 4 4 2 7"), ("translate", "two white cats sleep")])
def test_every_gradient_of_a_page_is_autograds(model: str, text: str) -> None:
    at_hand = at_hand_of(model)
    src = parse(text, at_hand.source, 40)
    at = len(answer(at_hand, src)) - 3
    found, off = back_values(at_hand, src, at), held(at_hand, src, at)
    for stop in route(at_hand.load()):
        assert off[stop.path] <= 1e-5 * max(1.0, float(found[stop.path].abs().max())), stop.path


@pytest.mark.parametrize("lang", LANGUAGES)
def test_how_far_it_is_from_autograd_is_said_under_the_board(open_link: Open, lang: str) -> None:
    say, at_hand = Words("backward", lang), at_hand_of("trained")
    src = parse("1 4 4 2 7", at_hand.source, 40)
    at = len(answer(at_hand, src)) - 3
    for what in ("softmax", "norm", "gain", "table"):
        place = place_of("trained", what)
        stop = route(at_hand.load())[place]
        values, off = back_values(at_hand, src, at)[stop.path], held(at_hand, src, at)[stop.path]
        said = say("held", count=values.numel(), most=number(off, 2), largest=number(float(values.abs().max()), 3))
        assert said in written(open_link("backward", lang=lang, src="1 4 4 2 7", place=str(place), open=""))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_weight_that_does_not_exist_is_the_nearest_and_a_sentence_says_so(open_link: Open, lang: str) -> None:
    say = Words("backward", lang)
    app = open_link("backward", lang=lang, matrix="decoder.layers.7.src_attn.linears.1.weight", out="500", into="2")
    assert not app.exception
    nearest = "`decoder.layers.0.src_attn.linears.1.weight`"
    told = [info.value for info in app.info]
    assert say("weight.nearest", wanted=Typed("decoder.layers.7.src_attn.linears.1.weight"), name=nearest) in told
    assert say("weight.inside", name=nearest, rows=64, columns=64, out=63, into=2) in told
    assert app.session_state["settings"]["backward"].out == 63


@pytest.mark.parametrize("wanted", ["", "x" * 100, "<b>", "src_embed", "`", "encoder.layers.-1.norm", "pe"])
def test_any_name_of_a_weight_is_some_weight(open_link: Open, wanted: str) -> None:
    app = open_link("backward", lang="en", matrix=wanted)
    assert not app.exception
    assert "backward.weight" in boards(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_m_and_v_gather_and_the_correction_fades(open_link: Open, lang: str) -> None:
    app = open_link("backward", lang=lang, updates="8", decay="0.25")
    rows = matrices(app, "backward.weight")["adam"].astype(np.float64)
    assert rows.shape == (8, 8)
    m, m_hat, v, v_hat = rows[:, 2], rows[:, 4], rows[:, 3], rows[:, 5]
    t = np.arange(1, 9)
    np.testing.assert_allclose(m_hat, m / (1 - BETAS[0] ** t), rtol=1e-4)
    np.testing.assert_allclose(v_hat, v / (1 - BETAS[1] ** t), rtol=1e-4)
    np.testing.assert_allclose(rows[1:, 0], rows[:-1, 0] + rows[:-1, 7], rtol=1e-5)
    np.testing.assert_allclose(rows[:, 6], -RATE * 0.25 * rows[:, 0], rtol=1e-4)
    assert Words("backward", lang)("weight.decays", decay=number(rows[0, 6], 3), rate="0.25") in written(app)
    assert Words("backward", lang)("weight.no_decay") in written(open_link("backward", lang=lang))


def test_a_large_model_makes_one_update(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.chapters.backward.weight.ONLY_ONE", 1000)
    app = open_link("backward", lang="en", updates="5")
    assert matrices(app, "backward.weight")["adam"].shape == (1, 8)
    assert "More updates need" in written(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_model_whose_gradients_are_no_numbers_is_said(open_link: Open, lang: str) -> None:
    """On the way there a tiny gain and huge matrices make ordinary numbers; the way back has the matrices first."""
    weights, layer = weights_of(), "decoder.layers.1"
    weights[f"{layer}.sublayer.2.norm.a_2"] *= 1e-42
    weights[f"{layer}.feed_forward.w_1.weight"] *= 1e12
    weights[f"{layer}.feed_forward.w_1.bias"] *= 0
    weights[f"{layer}.feed_forward.w_2.weight"] *= 1e30
    sit_down(open_link, file_of(weights))
    app = open_link("backward", lang=lang, model="own", src="1 3 2 5 4", scene="1")
    assert not app.exception
    said = [warning.value for warning in app.warning]
    assert [
        text
        for text in said
        if f"∂{layer}.sublayer.2.given" in text and Words("backward", lang)("at.through.title") in text
    ]
    assert "backward.gradient" not in boards(app)
    assert "backward.weight" not in boards(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_why_gradients_get_through_is_asked_before_it_is_shown(open_link: Open, lang: str) -> None:
    say = Words("backward", lang)
    asked = written(open_link("backward", lang=lang))
    assert say("ask_sums.question") in asked
    assert say("ask_reach.question") in asked
    assert "0.0041" not in asked
    told = written(open_link("backward", lang=lang, ask_sums="grow", ask_reach="few"))
    lost = layer_gradients(6, "decoder", sums=False).all
    assert f"**{number(lost[0], 2)}**" in told
    assert f"**{number(a_layer(lost), 2)}**" in told
    assert {"en": "geometric mean", "zh": "几何平均"}[lang] in told
    assert f"**{percent(1 - held_by(reach(64, scale=False).queries, 0.5), 1)}**" in told
