"""The chapter on layers: what is measured is the model's, every control moves something."""

import json

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from tests.app import boards
from tests.app.answers import right
from tests.app.conftest import Open, in_turn, look_again
from tests.series import drawn
from transformer_core import EncoderDecoder, PositionwiseFeedForward, SublayerConnection, Trace, make_model
from transformer_core.dropout import dropout_steps
from transformer_core.experiments.depth import gradient_norms
from transformer_core.tasks import Vocabulary
from ui.chapters.layers import depth as layers_depth
from ui.chapters.layers import init as layers_init
from ui.chapters.layers import network as layers_network
from ui.chapters.layers import norm as layers_norm
from ui.chapters.layers import places as layers_places
from ui.chapters.layers import probes as layers_probes
from ui.chapters.layers.places import SubLayerPlace, places
from ui.figures.number import number
from ui.inputs.sequence import shifted
from ui.model.current_model import model_at_hand as model_of
from ui.model.recorded import forward
from ui.settings.frame import Frame
from ui.text import LANGUAGES, Words

# The questions are answered, the figures are shown.
PAST = right("layers")


NUMBERS = Vocabulary.of_numbers(11)
SEQUENCES = shifted((1, 4, 2, 2, 7), (1, 4, 2, 2, 7), (NUMBERS, NUMBERS))


def model_at_hand() -> EncoderDecoder:
    return model_of(Frame()).load()


def trace() -> Trace:
    return forward(model_at_hand(), SEQUENCES.src, SEQUENCES.given)[1]


def norm_values() -> layers_norm.Normalised:
    place = SubLayerPlace("encoder", 0, 1)
    return layers_norm.normalised_at(place, model_at_hand().get_submodule(f"{place.path}.norm"), trace())


def words(app: AppTest) -> str:
    return " ".join(markdown.value for markdown in app.markdown)


@in_turn("model", ["trained", "notes"])
def test_a_link_sets_every_lab_at_once(open_link: Open, lang: str, model: str) -> None:
    query = {
        "src": "1 4 2 2 7", "place": "99", "formula": "difference", "sum_place": "3", "stream": "decoder",
        "network": "1", "order": "rotated", "position": "50", "neuron": "9999", "p": "0.5", "seed": "9",
        "depth": "2", "side": "encoder", "init": "default", "matrix": "w_2",
    } | PAST  # fmt: skip
    app = open_link("layers", lang=lang, model=model, **query)
    assert not app.exception
    assert app.select_slider(key="layers:place").value == 9
    assert app.slider(key="layers:position").value == 4


def test_a_model_that_normalises_after_the_sum_is_taken_apart_as_well(open_link: Open) -> None:
    run = "norm_first:false,N:2,d_model:16,h:2,steps:4,warmup:2"
    for chapter in ("layers", "walkthrough"):
        app = open_link(chapter, model="run", run=run, norm_cell="out.1.3", place="20", cell="c0.1.3", lang="en")
        assert not app.exception


def test_the_difference_of_the_formulas_is_measured(open_link: Open) -> None:
    values = norm_values()
    torchs = torch.nn.functional.layer_norm(values.x, values.x.shape[-1:], values.gain, values.shift, 1e-5)
    torch.testing.assert_close(values.torch.output, torchs)
    app = open_link("layers", src="1 4 2 2 7", place="1", formula="difference", lang="en")
    assert number(float((values.notes.output - torchs).abs().max())) in words(app)
    plain = open_link("layers", src="1 4 2 2 7", place="1", formula="notes")
    ends = [boards.panel(shown, "layers.norm", name)["ends"] for shown in (app, plain) for name in ("x", "out")]
    assert ends == [ends[0]] * 4  # a change of the formula recolours nothing else


def test_the_code_of_a_figure_names_its_section_of_the_paper(open_link: Open) -> None:
    app = open_link("layers", **PAST)
    for figure in ("norm", "sum", "network", "dropout"):
        (pills,) = [group for group in app.get("button_group") if group.key == f"layers.{figure}.caption"]
        pills.set_value("code")
    sections = ("3.1", "3.1", "3.1", "3.3", "5.4", "5.4")  # in the order of the page; first and last show two functions
    for code, section in zip(app.run().code, sections, strict=True):
        assert "(paper, section" in code.value
        assert section in code.value.partition("\n")[0]


def test_the_spread_that_is_called_measured_is_measured(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(layers_norm.EPS, "torch", 1.0)  # large enough to be seen
    spread = float(norm_values().torch.normalised.std(-1, correction=0).mean())
    assert spread < 0.9
    app = open_link("layers", src="1 4 2 2 7", place="1", formula="torch", lang="en")
    assert f"With ÷ n the standard deviation is {number(spread)}, with ÷ (n" in words(app)


def test_the_norm_labs_own_formula_reproduces_the_model() -> None:
    model = model_at_hand()
    for place in places(model):
        values = layers_norm.normalised_at(place, model.get_submodule(f"{place.path}.norm"), trace())
        own = trace()[f"{place.path}.norm.output"][0]
        torch.testing.assert_close(values.output("notes"), own.double(), atol=1e-5, rtol=1e-5)


def test_the_ratio_is_measured_on_real_numbers() -> None:
    x = trace()["encoder.layers.0.sublayer.0.input"][0, 0]
    assert layers_norm.ratio_of(x[:2]) == pytest.approx(0.5**0.5, rel=1e-2)
    assert layers_norm.ratio_of(x) == pytest.approx(layers_norm.ratio(x.numel()), rel=1e-3)


def network_of(layer: int) -> PositionwiseFeedForward:
    network = model_at_hand().get_submodule(f"encoder.layers.{layer}.feed_forward")
    assert isinstance(network, PositionwiseFeedForward)
    return network


def test_rows_in_another_order_come_out_in_that_order(open_link: Open) -> None:
    network = network_of(0)
    x = trace()["encoder.layers.0.sublayer.1.norm.output"]
    order = layers_network.ordered("rotated", 5)
    assert order == [1, 2, 3, 4, 0]
    result = layers_network.run(network, x, order)
    with torch.no_grad():
        torch.testing.assert_close(result.steps.output[0, 4], network(x)[0, 0])
    assert result.moved < 1e-5
    assert open_link("layers", order="reversed", lang="en").info
    controls = [{group.key for group in open_link("layers", **query).get("button_group")} for query in ({}, PAST)]
    assert ["layers:order" in keys for keys in controls] == [False, True]


def test_the_active_neurons_are_counted(open_link: Open) -> None:
    before = trace()["encoder.layers.0.feed_forward.pre_activation"][0, 2]
    app = open_link("layers", src="1 4 2 2 7", position="2", lang="en")
    assert f"{int((before > 0).sum())} of {before.numel()} neurons are active" in words(app)


def test_the_share_that_dropout_drops_is_counted(open_link: Open) -> None:
    x = trace()["encoder.layers.0.sublayer.0.branch"][0]
    keep = dropout_steps(x, 0.4, torch.Generator().manual_seed(3)).keep
    app = open_link("layers", src="1 4 2 2 7", p="0.4", seed="3", lang="en", **PAST)
    assert f"dropped {float((~keep).float().mean()):.1%}" in words(app)


def test_the_table_of_depths_has_a_row_for_each(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers_depth, "DEEPEST", 3)
    app = open_link(
        "layers", open="depth", table="1", side="encoder", depth_seed="4", depth="2", **right("layers", "ask_depth")
    )
    post = boards.matrices(app, "layers.depths")["post"]
    assert np.isfinite(post).sum(1).tolist() == [1, 2, 3]
    assert post[2].tolist() == pytest.approx(gradient_norms(3, norm_first=False, seed=4).encoder)
    program: dict[str, np.ndarray] = {}
    exec(boards.snippet(app, "layers.depths"), program)
    np.testing.assert_allclose(program["shown"][3:], post, rtol=1e-5)


def test_what_weighs_the_chosen_cell_is_drawn_below_it_and_is_the_networks(open_link: Open) -> None:
    network = network_of(0)
    for cell, key, weights in (("before.1.7", "w_1", network.w_1), ("out.1.5", "w_2", network.w_2)):
        app = open_link("layers", open="network", network_cell=cell)
        row = boards.matrices(app, "layers.network")[key]
        index = int(cell.rpartition(".")[2])
        assert row.tolist() == [weights.weight[index].tolist()]


def test_another_seed_is_another_draw(open_link: Open) -> None:
    app = open_link("layers", p="0.5", lang="en", **PAST)
    before = words(app)
    app.slider(key="layers:seed").set_value(4).run()
    assert words(app) != before


def test_the_gradients_of_the_figure_are_those_of_the_function(open_link: Open) -> None:
    app = open_link("layers", depth="3", side="encoder", depth_seed="2", lang="en", **PAST)
    norms = gradient_norms(3, norm_first=False, seed=2).encoder
    (post,) = [y for name, y in curves_of(app, "layers.depth").items() if "post-norm" in name]
    assert post == pytest.approx(norms)


@pytest.mark.parametrize(
    ("question", "slip", "sentence"),
    [
        ("ask_norm", "1", "For n numbers the two formulas differ by a factor"),
        ("ask_drop", "0.81", "multiplied the others by"),
        ("ask_depth", "pre", "the largest gradient is"),
    ],
)
def test_a_figure_waits_for_a_prediction(open_link: Open, question: str, slip: str, sentence: str) -> None:
    replies = [{}, {question: slip}, right("layers", question)]
    apps = [open_link("layers", src="1 4 2", depth="2", lang="en", **reply) for reply in replies]
    assert [sentence in words(app) for app in apps] == [False, True, True]
    assert [len(app.error) for app in apps] == [0, 1, 0]


def test_pre_and_post_norm_are_trained_and_compared(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers_depth, "STEPS", 6)
    app = open_link("layers", N="1", train_seed="3", lang="en")
    assert "pre-norm copies" not in words(app)
    app.button(key="layers.start").click().run()
    assert app.button(key="layers.stop")
    look_again(app)
    assert "After 6 steps pre-norm copies" in words(app)
    assert app.button(key="layers.start").disabled
    program: dict[str, np.ndarray] = {}
    exec(boards.snippet(app, "layers.training"), program)
    lines = np.array(list(curves_of(app, "layers.training").values())).T
    np.testing.assert_allclose(lines, program["shown"][:, 1:], atol=1e-5)
    assert app.query_params["trained"] in ("1.0.3", ["1.0.3"])


def test_a_pair_of_runs_can_be_stopped_and_leaves_the_page_as_it_was(open_link: Open) -> None:
    app = open_link("layers", N="4", train_seed="7", trained="4.0.7", lang="en")
    app.button(key="layers.stop").click().run()
    assert not app.exception
    assert "trained" not in app.query_params
    assert not app.button(key="layers.start").disabled
    assert "4 layers in each stack" in words(app)


def curves_of(app: AppTest, figure: str) -> dict[str, list[float]]:
    """The heights of a chart's lines by name."""
    (spec,) = [json.loads(c.proto.spec) for c in app.get("echarts_chart") if c.proto.id.endswith(f"-{figure}")]
    return {line["name"]: [y for _, y, *_ in line["data"]] for line in drawn(spec)}


@pytest.mark.parametrize("src", ["1 4 0 0", "0 3", "1", "1 " * 40])
def test_paddings_and_extreme_lengths_are_taken_apart_like_any_other(open_link: Open, src: str) -> None:
    app = open_link("layers", src=src.strip(), sum_cell="sum.99.99", stream_cell="added.9.9", drop_cell="x.0.0", **PAST)
    assert not app.exception


def test_a_sequence_that_is_none_leaves_the_rest_of_the_page_alive(open_link: Open) -> None:
    app = open_link("layers", src="one two", lang="en", **PAST)
    assert app.warning
    assert app.slider(key="layers:depth").value == 12


@pytest.mark.parametrize(
    ("figure", "panel"), [("norm", "out"), ("sum", "branch"), ("network", "x"), ("dropout", "dropped")]
)
def test_wide_vectors_are_seen_through_a_window_that_the_reader_moves(open_link: Open, figure: str, panel: str) -> None:
    run = "d_model:96,h:2,N:1,steps:2,warmup:1"
    start = dict.fromkeys(("norm_from", "sum_from", "network_from", "drop_from"), "17")
    app = open_link("layers", model="run", run=run, src="1 4 2", **start, **PAST)
    assert not app.exception
    sent = boards.panel(app, f"layers.{figure}", panel)
    assert sent["shape"][1] == layers_places.SHOWN_DIMENSIONS
    assert (sent["labels"]["column"][0], sent["labels"]["column"][-1]) == ("17", "80")


def test_the_first_weights_stay_within_their_limits_and_have_the_spread_the_text_says() -> None:
    outputs, inputs = layers_init.shape_of("w_1", 24, 90)
    assert (outputs, inputs) == (90, 24)
    for name, weights in layers_init.drawn(outputs, inputs, 1).items():
        limit = layers_init.limits(outputs, inputs)[name]
        assert 0.95 * limit < np.abs(weights).max() <= limit
        assert weights.std() == pytest.approx(limit / 3**0.5, rel=0.05)


def test_the_places_are_the_models_sub_layers_in_the_order_of_the_forward_pass() -> None:
    model = make_model(7, 7, N=2, d_model=8, d_ff=12, h=2)
    wrappers = [name for name, module in model.named_modules() if isinstance(module, SublayerConnection)]
    assert [place.path for place in places(model)] == wrappers
    assert [place.n for place in places(model, "feed_forward")] == [0, 1, 0, 1]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_two_matrices_of_a_model_are_one(open_link: Open, lang: str) -> None:
    app = open_link("layers", open="network", lang=lang)
    said = Words("layers", lang)("network.shared", matrices=35, different=35)
    assert said in "\n".join(block.value for block in app.markdown)


@pytest.mark.parametrize(("model", "rows", "lang"), [("trained", 4, "en"), ("translate", 3, "zh"), ("fresh", 4, "zh")])
def test_what_a_probe_reads_is_shown_layer_by_layer(open_link: Open, model: str, rows: int, lang: str) -> None:
    app = open_link("layers", model=model, lang=lang, open="probes")
    shown = boards.matrices(app, "layers.probes")["read"]
    assert shown.shape == (rows, 3)
    program: dict[str, torch.Tensor] = {}
    exec(boards.snippet(app, "layers.probes"), program)
    np.testing.assert_allclose(shown, program["shown"], atol=1e-6)
    assert f"{shown[0, 0]:.0%}" in words(app)
    assert f"{shown[-2, 1]:.0%}" in words(app)


def test_too_few_sequences_are_said(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers_probes, "SEQUENCES", 7)
    app = open_link("layers", model="translate", lang="en", open="probes")
    assert Words("layers", "en")("probes.few", count=7, fewest=layers_probes.FEWEST) in words(app)
    assert "layers.probes" not in boards.boards(app)
