"""The forward pass, stop by stop: every tensor is the model's own, every formula is true, every line exists."""

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open, in_turn
from transformer_core import START, EncoderDecoder, greedy_steps, make_model, padding_mask
from transformer_core.tasks import Vocabulary
from ui.chapters.shared.forward.board import beside, board, one_head, window
from ui.chapters.shared.forward.stops import ADDED, ForwardStop, place_of, source_of, stops
from ui.chapters.shared.forward.values import TurnTensors, turn_values, values_of
from ui.chapters.walkthrough.walk import walk_snippet
from ui.figures.board import payload
from ui.figures.evaluated import furthest
from ui.model.current_model import model_at_hand
from ui.model.shipped import shipped
from ui.settings.frame import Frame
from ui.text import Words, load

SRC = torch.tensor([[1, 5, 3, 0, 5, 2]])
YS = torch.tensor([[START, 5, 2]])
NAMES = Vocabulary.of_numbers(7), Vocabulary.of_numbers(9)
GIVEN = {"src", "w_1", "b_1", *ADDED, "ys", "choice"}  # no sum stands behind these


def small_model(norm_first: bool = True) -> EncoderDecoder:
    model = make_model(7, 9, N=2, d_model=12, d_ff=20, h=3, norm_first=norm_first).eval()
    for name, weight in model.named_parameters():
        if name.endswith(("a_2", "b_2", "bias")):
            torch.nn.init.normal_(weight, std=0.5)
    return model


def walk(norm_first: bool) -> list[tuple[ForwardStop, TurnTensors, EncoderDecoder]]:
    model = small_model(norm_first)
    values = values_of(model, SRC, YS)
    return [(stop, values, model) for stop in stops(model, turn=3)]


@pytest.mark.parametrize("norm_first", [True, False])
def test_every_stop_has_a_tensor_inputs_a_line_of_source_and_words(norm_first: bool) -> None:
    for stop, values, _ in walk(norm_first):
        assert {stop.path, *stop.inputs} <= set(values)
        source = source_of(stop)
        assert source.lines[source.at].strip().startswith(stop.line)
        assert {f"at.{stop.what}.title", f"at.{stop.what}.text"} <= set(load("walkthrough"))


@pytest.mark.parametrize("turn", [1, 4])
def test_the_turns_tensors_are_those_of_the_decoding_loop(turn: int) -> None:
    model = small_model()
    step = list(greedy_steps(model, SRC, padding_mask(SRC), 6))[turn - 1]
    values = values_of(model, SRC, step.ys)
    assert int(values["choice"]) == int(step.choice)
    for path, value in step.trace.items():
        assert torch.equal(values[path], value), path
    assert values["tgt_mask"].shape == (1, turn, turn)


def law(stop: ForwardStop, values: TurnTensors, model: EncoderDecoder) -> float | None:
    """How far the formulas of a stop are from its tensor; None where it is given."""
    return furthest(board(stop, values, model, NAMES, Words("walkthrough", "en"), 0, 0, 0))


@pytest.mark.parametrize("norm_first", [True, False])
def test_the_formula_of_every_stop_gives_its_tensor_from_its_inputs(norm_first: bool) -> None:
    found = {(stop.what, stop.path): law(stop, values, model) for stop, values, model in walk(norm_first)}
    assert {what for (what, _), furthest in found.items() if furthest is None} == GIVEN
    assert {path: furthest for (_, path), furthest in found.items() if furthest is not None and furthest > 1e-5} == {}


def test_without_a_scale_the_scores_are_the_products() -> None:
    model = make_model(7, 9, N=1, d_model=12, d_ff=20, h=3, scale=False).eval()
    values = values_of(model, SRC, YS)
    scores = [law(stop, values, model) or 0.0 for stop in stops(model) if stop.what == "scores"]
    assert len(scores) == 3
    assert max(scores) < 1e-5


@pytest.mark.parametrize("name", ["feed_forward.w_1.bias", "self_attn.linears.0.weight", "sublayer.0.norm.a_2"])
def test_a_wrong_parameter_would_be_noticed(name: str) -> None:
    model = small_model()
    values = dict(values_of(model, SRC, YS))
    values[f"encoder.layers.0.{name}"] = values[f"encoder.layers.0.{name}"] + 1
    assert max(law(stop, values, model) or 0 for stop in stops(model)) > 0.01


def test_of_the_shipped_model_too_every_input_of_a_stop_has_a_value() -> None:
    """It keeps the position code once for both sides."""
    model = shipped().model
    values = values_of(model, SRC, YS)
    assert {path for stop in stops(model) for path in (stop.path, *stop.inputs)} <= set(values)


def test_the_program_of_every_kind_of_stop_computes_what_its_board_shows() -> None:
    at_hand = model_at_hand(Frame())
    values = values_of(at_hand.load(), SRC, YS)
    for what, stop in {stop.what: stop for stop in stops(at_hand.load(), turn=3)}.items():
        picture = board(stop, values, at_hand.load(), at_hand.config.vocabularies, Words("walkthrough", "en"), 0, 0, 0)
        numbers, names = beside(picture)
        shown = picture.subject.values if numbers is None else numbers
        assert len(names) in (0, shown.shape[1])
        names_of_program: dict[str, torch.Tensor] = {}
        exec(walk_snippet(at_hand, stop, values, 0), names_of_program)
        np.testing.assert_allclose(np.atleast_2d(names_of_program["shown"].numpy()), shown, atol=1e-6, err_msg=what)


def test_large_tensors_are_seen_through_a_window_and_wide_heads_one_at_a_time() -> None:
    model = make_model(11, 11, N=1, d_model=512, d_ff=2048, h=8)
    values = values_of(model, SRC, YS)
    at = {stop.what: stop for stop in stops(model)}
    windows = {what: window(at[what], values) for what in ("w_1", "hidden", "pre_activation", "attended", "output")}
    assert windows == {
        "w_1": (2048 - 64, 0),
        "hidden": (0, 2048 - 512),
        "pre_activation": (0, 2048 - 512),
        "attended": (0, 0),
        "output": (0, 512 - 128),  # each of these columns is a sum over 2048 neurons, whose weights travel with it
    }
    assert one_head(values[at["query"].path])
    assert not one_head(values[at["scores"].path])
    for what in ("attended", "pre_activation", "output", "query"):
        picture = board(at[what], values, model, NAMES, Words("walkthrough", "en"), 7 if what == "query" else 0, 0, 128)
        sent = payload(picture.panels, operands=picture.operands)["operands"]
        assert sum(len(operand["named"]["values"]) for operand in sent) < 4 / 3 * 4 * 300_000, what


def html_on_page(app: AppTest) -> str:
    return " ".join(html.proto.body for html in app.get("html"))


def test_the_notes_run_has_the_shapes_of_the_notes(open_link: Open) -> None:
    app = open_link("walkthrough", model="notes", src="1 2 3 4 5 6 7 8 9 10", lang="en")
    route = stops(make_model(11, 11, N=2, d_model=16, d_ff=32, h=8))
    wanted = {
        "src": "src (1, 10)",
        "rows": "0.rows (1, 10, 512)",
        "code": "1.pe (1, 5000, 512)",
        "query": "self_attn.query (1, 8, 10, 64)",
        "scores": "self_attn.scores (1, 8, 10, 10)",
        "merged": "self_attn.merged (1, 10, 512)",
        "w_1": "w_1.weight (2048, 512)",
        "b_1": "w_1.bias (2048,)",
        "hidden": "feed_forward.hidden (1, 10, 2048)",
        "w_2": "w_2.weight (512, 2048)",
        "b_2": "w_2.bias (512,)",
        "b_query": "linears.0.bias (512,)",
        "memory": "encoder.output (1, 10, 512)",
        "cross_weights": "src_attn.weights (1, 8, 1, 10)",
        "log_probs": "generator.log_probs (1, 11)",
        "next": "next (1, 2)",
    }
    for what, shape in wanted.items():
        index = next(index for index, stop in enumerate(route) if stop.what == what)
        app.slider(key="walkthrough:place").set_value(index).run()
        assert not app.exception
        assert shape in html_on_page(app), what


def test_every_turn_of_the_notes_run_has_the_shapes_of_the_notes() -> None:
    at_hand = model_at_hand(Frame(model="notes"))
    for turn in (1, 2, 3):
        values = turn_values(at_hand, tuple(range(1, 11)), turn)
        wanted = {
            "ys": (1, turn),
            "tgt_mask": (1, turn, turn),
            "tgt_embed.1.output": (1, turn, 512),
            "next": (1, turn + 1),
            "last": (1, 512),
            "choice": (1,),
            "generator.logits": (1, 11),
            "encoder.output": (1, 10, 512),
        }
        for layer in ("decoder.layers.0", "decoder.layers.1"):
            for name, keys in (("self_attn", turn), ("src_attn", 10)):
                wanted |= {f"{layer}.{name}.{tap}": (1, 8, turn, keys) for tap in ("scores", "masked", "weights")}
                wanted |= {f"{layer}.{name}.{tap}": (1, 8, keys, 64) for tap in ("key", "value")}
                wanted |= {f"{layer}.{name}.{tap}": (1, 8, turn, 64) for tap in ("query", "heads")}
                wanted |= {f"{layer}.{name}.{tap}": (1, turn, 512) for tap in ("merged", "output")}
            wanted[f"{layer}.feed_forward.hidden"] = (1, turn, 2048)
        shapes = {path: tuple(values[path].shape) for path in wanted}
        assert shapes == wanted
        assert {stop.path for stop in stops(at_hand.load(), turn) if stop.per_turn} >= wanted.keys() - {
            "encoder.output"
        }


def test_in_the_first_turn_the_decoder_gives_its_only_token_all_its_attention() -> None:
    values = values_of(small_model(), SRC, YS[:, :1])
    assert values["decoder.layers.1.self_attn.weights"].tolist() == [[[[1.0]]] * 3]


def test_forward_goes_over_the_end_into_the_next_turn_and_back_again(open_link: Open) -> None:
    last = len(stops(make_model(11, 11, N=2, d_model=16, d_ff=32, h=4))) - 1
    app = open_link("walkthrough", place=str(last), turn="2")
    app.button(key="walkthrough.forward").click().run()
    assert app.slider(key="walkthrough:turn").value == 3
    app.button(key="walkthrough.back").click().run()
    assert app.slider(key="walkthrough:turn").value == 2
    assert app.slider(key="walkthrough:place").value == last


def test_in_a_lecture_the_arrows_lead_from_stop_to_stop_and_into_the_next_turn(open_link: Open) -> None:
    last = len(stops(make_model(11, 11, N=2, d_model=16, d_ff=32, h=4))) - 1
    app = open_link("walkthrough", present="1", src="1 4 2", place=str(last))
    walked = []
    for _ in range(2):
        app.button(key="lecture.on").click().run()
        walked.append((app.slider(key="walkthrough:place").value, app.slider(key="walkthrough:turn").value))
    assert walked == [(55, 2), (56, 2)]
    app = open_link("walkthrough", present="1", src="1 4 2", place=str(last), turn="2")
    app.button(key="lecture.on").click().run()
    assert not [slider for slider in app.slider if slider.key == "walkthrough:place"], "the next section"


@in_turn("stop", ["0", "13", "60", "112", "9999"])
def test_a_link_opens_any_stop(open_link: Open, lang: str, stop: str) -> None:
    app = open_link("walkthrough", stop=stop, turn="99", first_row="9999", head="63", cell="h1.2.3", lang=lang)
    assert not app.exception
    assert app.slider(key="walkthrough:turn").value == 9


def test_a_link_from_before_there_were_stops_for_every_parameter_still_leads_where_it_led(open_link: Open) -> None:
    route = stops(make_model(11, 11, N=2, d_model=16, d_ff=32, h=4))
    led = {0: "src", 7: "query", 17: "norm", 21: "hidden", 22: "output", 111: "choice", 112: "next", 9999: "next"}
    assert {number: route[place_of(number, route)].what for number in led} == led
    app = open_link("walkthrough", stop="111", lang="en")
    assert Words("walkthrough", "en")("at.choice.title") in html_on_page(app)
    assert app.slider(key="walkthrough:place").value == len(route) - 2
    app.button(key="walkthrough.back").click().run()
    assert Words("walkthrough", "en")("at.log_probs.title") in html_on_page(app)


def test_both_matrices_of_the_feed_forward_network_and_every_bias_are_stops() -> None:
    model = small_model()
    shown = {stop.path for stop in stops(model)}
    assert {name for name, _ in model.named_parameters() if name.endswith(".bias") or ".w_" in name} <= shown
    assert len(shown) == len(stops(model))


def test_the_bias_of_the_keys_changes_no_weight_and_that_of_the_values_passes_through() -> None:
    model, name = small_model(), "encoder.layers.0.self_attn"
    before = values_of(model, SRC, YS)
    with torch.no_grad():
        model.get_parameter(f"{name}.linears.1.bias").add_(1.5)
        model.get_parameter(f"{name}.linears.2.bias").add_(1.5)
    after = values_of(model, SRC, YS)
    assert not torch.allclose(after[f"{name}.scores"], before[f"{name}.scores"])
    torch.testing.assert_close(after[f"{name}.weights"], before[f"{name}.weights"], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(after[f"{name}.merged"], before[f"{name}.merged"] + 1.5, atol=1e-5, rtol=1e-4)


def test_a_single_token_is_too_short_and_the_page_says_so(open_link: Open) -> None:
    app = open_link("walkthrough", src="1", lang="en")
    assert [warning.value for warning in app.warning] == [Words("walkthrough", "en")("too_short")]


def test_an_untrained_model_is_said_to_choose_arbitrarily(open_link: Open) -> None:
    last = len(stops(make_model(11, 11, N=2, d_model=16, d_ff=32, h=4))) - 1
    told = [
        open_link("walkthrough", model=model, place=str(last - 1), lang="en").info for model in ("notes", "trained")
    ]
    assert [len(info) for info in told] == [1, 0]
