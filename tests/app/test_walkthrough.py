"""The forward pass, stop by stop: every tensor is the model's own, every sum is right, every line exists."""

import re

import pytest
import torch
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open
from tests.written import read
from transformer_core import START, EncoderDecoder, greedy_steps, make_model, padding_mask
from ui import session
from ui.labs.walkthrough_arithmetic import written
from ui.labs.walkthrough_board import grid, one_head, shown, window
from ui.labs.walkthrough_snippet import walk_snippet
from ui.labs.walkthrough_stops import ADDED, Stop, place_of, source_of, stops
from ui.labs.walkthrough_values import Values, turn_values, values_of
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words, load

SRC = torch.tensor([[1, 5, 3, 0, 5, 2]])
YS = torch.tensor([[START, 5, 2]])
GIVEN = {"src", "src_mask", "w_1", "b_1", *ADDED, "ys", "tgt_mask", "choice", "next"}  # no sum stands behind these


def small_model(norm_first: bool = True) -> EncoderDecoder:
    model = make_model(7, 9, N=2, d_model=12, d_ff=20, h=3, norm_first=norm_first).eval()
    for name, weight in model.named_parameters():
        if name.endswith(("a_2", "b_2", "bias")):
            torch.nn.init.normal_(weight, std=0.5)
    return model


def walk(norm_first: bool) -> list[tuple[Stop, Values, EncoderDecoder]]:
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


@pytest.mark.parametrize("norm_first", [True, False])
def test_the_arithmetic_of_a_cell_ends_in_the_cells_number(norm_first: bool) -> None:
    checked = set()
    for stop, values, model in walk(norm_first):
        array = grid(values[stop.path])
        at = tuple(size - 1 for size in array.shape)  # the last cell: nothing there is a first row or head by accident
        html = written(stop, values, model, *at)
        if html:
            result = re.findall(r'<b class="chosen">([^<]*)</b>', html)[-1]
            assert read(result) == pytest.approx(float(array[at]), rel=1e-3, abs=1e-4), stop.path
            checked.add(stop.what)
    assert checked == {stop.what for stop, _, _ in walk(norm_first)} - GIVEN


def test_a_wrong_bias_would_be_noticed() -> None:
    model = small_model()
    values = dict(values_of(model, SRC, YS))
    stop = next(stop for stop in stops(model) if stop.what == "pre_activation")
    before = written(stop, values, model, 0, 1, 2)
    values["encoder.layers.0.feed_forward.w_1.bias"] = values["encoder.layers.0.feed_forward.w_1.bias"] + 1
    assert written(stop, values, model, 0, 1, 2) != before


def test_the_snippet_of_every_kind_of_stop_computes_its_tensor() -> None:
    at_hand = session.model_at_hand(Frame())
    values = values_of(at_hand.model, SRC, YS)
    for what, stop in {stop.what: stop for stop in stops(at_hand.model, turn=3)}.items():
        names: dict[str, torch.Tensor] = {}
        exec(walk_snippet(at_hand, stop, values), names)
        torch.testing.assert_close(names["shown"], values[stop.path], msg=what)


@pytest.mark.parametrize("norm_first", [True, False])
def test_every_tensor_can_be_drawn_and_its_cells_found_again(norm_first: bool) -> None:
    say = Words("walkthrough", "en")
    for stop, values, _ in walk(norm_first):
        picture = shown(stop, values, say, 0, 0, 0)
        array = grid(values[stop.path])
        for panel in picture.panels:
            rows, columns = panel.shape
            place = picture.place((panel.key, rows - 1, columns - 1))
            assert panel.values[-1, -1] == array[place], stop.path


def test_large_tensors_are_seen_through_a_window_and_wide_heads_one_at_a_time() -> None:
    assert window(torch.zeros(2048, 512)) == (2048 - 64, 0)
    assert window(torch.zeros(1, 10, 2048)) == (0, 2048 - 512)
    assert one_head(torch.zeros(1, 8, 10, 64))
    assert not one_head(torch.zeros(1, 8, 10, 10))


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
    at_hand = session.model_at_hand(Frame(model="notes"))
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
        assert {stop.path for stop in stops(at_hand.model, turn) if stop.per_turn} >= wanted.keys() - {"encoder.output"}


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


@pytest.mark.parametrize("what", ["src", "rows", "w_1", "log_probs"])
def test_a_chosen_cell_is_written_out_if_a_sum_stands_behind_it(open_link: Open, what: str) -> None:
    route = stops(make_model(11, 11, N=2, d_model=16, d_ff=32, h=4))
    at = next(index for index, stop in enumerate(route) if stop.what == what)
    app = open_link("walkthrough", place=str(at), cell="c0.0.1")
    assert not app.exception
    assert ('class="arithmetic"' in html_on_page(app)) == (what not in GIVEN)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("stop", ["0", "13", "60", "112", "9999"])
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
