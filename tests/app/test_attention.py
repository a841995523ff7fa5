"""The chapter on one head: every number on screen is the model's."""

from itertools import cycle

import numpy as np
import pytest
import torch

from tests.app.answers import right
from tests.app.boards import boards, chosen, matrices, panel, written
from tests.app.conftest import Open, in_turn, menu_link
from transformer_core import padding_mask, record, target_mask
from transformer_core.training.checkpoint import load
from ui.chapters.attention.stages import NAMES as STAGES
from ui.figures.number import number
from ui.model.current_model import model_at_hand
from ui.model.recorded import forward
from ui.model.shipped import SHIPPED
from ui.settings.frame import Frame
from ui.settings.shared import KINDS
from ui.text import LANGUAGES, Words

SRC, TGT = [1, 4, 2, 9, 0], [1, 7, 5, 3]  # of different lengths, and with a padding
LINK = {"src": "1 4 2 9 0", "tgt": "1 7 5 3", "layer": "1", "head": "2"}
PATHS = {
    "encoder": "encoder.layers.1.self_attn",
    "decoder": "decoder.layers.1.self_attn",
    "cross": "decoder.layers.1.src_attn",
}


def tapped(kind: str, name: str) -> np.ndarray:
    """The value of layer 1, head 2, computed here."""
    model = load(SHIPPED / "copy.safetensors").model.eval()
    src, tgt = torch.tensor([SRC]), torch.tensor([TGT[:-1]])
    with torch.no_grad(), record(model) as trace:
        model(src, tgt, padding_mask(src), target_mask(tgt))
    value: np.ndarray = trace[f"{PATHS[kind]}.{name}"][0, 2].numpy()
    return value


@pytest.mark.parametrize("kind", KINDS)
def test_the_board_shows_the_values_of_the_chosen_head(open_link: Open, kind: str) -> None:
    shown = matrices(open_link("attention", only="stages", kind=kind, stage="all", **LINK), "attention.stages")
    taps = {"q": "query", "k": "key", "v": "value", "output": "heads"}
    for name, values in shown.items():
        np.testing.assert_allclose(values, tapped(kind, taps.get(name, name)), atol=1e-6, err_msg=name)


def test_a_decoder_row_says_what_it_is_given_and_what_it_predicts(open_link: Open) -> None:
    labels = panel(open_link("attention", stage="weights", **LINK), "attention.stages", "weights")["labels"]
    assert labels == {"row": ["⟨s⟩ → 7", "7 → 5", "5 → 3"], "column": ["⟨s⟩", "4", "2", "9", "0"]}


def test_the_chosen_query_and_key_stay_when_the_stage_moves_on(open_link: Open) -> None:
    say = Words("attention", "en")

    def press(label: str) -> None:
        next(button for button in app.main.button if button.label == say(label)).click().run()

    app = open_link("attention", cell="products.2.1", lang="en", **LINK)
    assert chosen(app, "attention.stages") == ["products", 2, 1]
    for stage in STAGES[1:4]:
        press("forward")
        assert chosen(app, "attention.stages") == [stage, 2, 1]
    press("forward")
    assert chosen(app, "attention.stages") == ["output", 2, 0]
    press("back")
    assert chosen(app, "attention.stages") == ["weights", 2, 0]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_cell_outside_a_shorter_sequence_moves_to_its_edge_and_a_sentence_says_so(open_link: Open, lang: str) -> None:
    said = Words("shell", lang)("matrix.moved", row=8, column=9)
    app = open_link("attention", cell="products.8.9", src="1 2 3", kind="encoder", lang=lang)
    assert chosen(app, "attention.stages") == ["products", 2, 2]
    assert said in [caption.value for caption in app.main.caption]
    app = open_link("attention", cell="products.8.9", kind="encoder", lang=lang)
    assert said not in [caption.value for caption in app.main.caption]


def test_a_target_of_one_token_leaves_open_what_comes_next(open_link: Open) -> None:
    app = open_link("attention", tgt="1", kind="decoder")
    assert not app.exception
    assert panel(app, "attention.stages", "products")["labels"]["row"] == ["⟨s⟩ → ?"]


@pytest.mark.parametrize(("kind", "stage", "lang"), [*zip(cycle(KINDS), STAGES, cycle(LANGUAGES))])
def test_every_stage_opens_with_a_wide_model(open_link: Open, kind: str, stage: str, lang: str) -> None:
    assert not open_link("attention", lang=lang, kind=kind, stage=stage, model="notes").exception


def test_a_link_out_of_range_opens_with_the_defaults(open_link: Open) -> None:
    app = open_link("attention", kind="sideways", layer="99", head="-1", stage="6", cell="weights.1")
    assert not app.exception
    assert chosen(app, "attention.stages") == ["products", 3, 4]


@pytest.mark.parametrize(
    ("kind", "part", "tap"), [*zip(KINDS, ("q", "k", "v"), ("query", "key", "value"), strict=True)]
)
def test_a_projection_is_its_vectors_times_its_matrix(open_link: Open, kind: str, part: str, tap: str) -> None:
    app = open_link("attention", kind=kind, part=part, part_cell="projected.2.5", **LINK)
    shown = matrices(app, "attention.projection")
    expected = tapped(kind, tap)
    np.testing.assert_allclose(shown["projected"], expected, atol=1e-6)
    state = load(SHIPPED / "copy.safetensors").model.state_dict()
    bias = state[f"{PATHS[kind]}.linears.{'qkv'.index(part)}.bias"].numpy()[32:48]
    np.testing.assert_allclose(shown["x"] @ shown["W"].T + bias, expected, atol=1e-5)


def test_of_a_wide_model_a_window_is_shown_and_the_sum_still_runs_over_all_dimensions(open_link: Open) -> None:
    app = open_link("attention", model="notes", part_first="192", part_cell="projected.2.5", **LINK)
    shown = matrices(app, "attention.projection")
    assert (shown["x"].shape, shown["W"].shape, shown["projected"].shape) == ((3, 64), (64, 64), (3, 64))
    assert panel(app, "attention.projection", "x")["labels"]["column"][0] == "192"
    model = model_at_hand(Frame(model="notes")).load()
    _, trace = forward(model, tuple(SRC), tuple(TGT[:-1]))
    x = trace["decoder.layers.1.sublayer.1.norm.output"][0]
    np.testing.assert_array_equal(shown["x"], x[:, 192:256])
    weight = model.state_dict()[f"{PATHS['cross']}.linears.0.weight"]
    np.testing.assert_array_equal(shown["W"], weight[128:192, 192:256])  # the rows of head 2
    sizes = {name: panel(app, "attention.projection", name)["size"] for name in ("x", "W")}
    assert sizes == {"x": [3, 512], "W": [64, 512]}


def test_dropout_waits_for_the_prediction_and_then_divides_what_it_keeps(open_link: Open) -> None:
    assert "attention.dropout" not in boards(open_link("attention", **LINK))
    app = open_link("attention", p="0.4", seed="7", drop_cell="sums.1.0", **LINK, **right("attention", "kept"))
    shown = matrices(app, "attention.dropout")
    np.testing.assert_allclose(shown["dropped"], shown["weights"] * shown["keep"] / 0.6, atol=1e-6)
    np.testing.assert_allclose(shown["weights"], tapped("cross", "weights"), atol=1e-6)
    np.testing.assert_allclose(shown["sums"][:, 0], shown["dropped"].sum(1), atol=1e-6)
    again = open_link("attention", p="0.4", seed="7", **LINK, **right("attention", "kept"))
    np.testing.assert_array_equal(matrices(again, "attention.dropout")["keep"], shown["keep"])


def test_the_share_on_the_next_column_is_measured_once_it_is_asked(open_link: Open) -> None:
    app = open_link("attention", layer="0", **right("attention", "looks"))
    shown = matrices(open_link("heads"), "heads.wall")
    share = number(float(np.mean(np.diagonal(shown["cross.0.2"], 1))), 3)
    (text,) = [block.value for block in app.markdown if "t + 1" in block.value and "·" in block.value]
    assert share in text


@pytest.mark.parametrize(("kind", "reply", "drawn"), [("cross", "", 0), ("cross", "same", 1), ("encoder", "", 1)])
def test_the_lines_of_cross_attention_wait_for_a_reply(open_link: Open, kind: str, reply: str, drawn: int) -> None:
    app = open_link("attention", kind=kind, looks=reply)
    assert len([title for title in app.header if title.value == Words("attention", "en")("lines.title")]) == drawn


def test_the_badge_says_that_rows_sum_to_one(open_link: Open) -> None:
    app = open_link("attention", stage="weights")
    assert any("each row sums to 1" in block.value for block in app.markdown)


def test_a_lesson_that_hides_the_stage_hides_its_buttons_too(open_link: Open) -> None:
    app = open_link("attention", hide="stage", stage="weights")
    say = Words("attention", "en")
    assert not {button.label for button in app.main.button} & {say("back"), say("forward")}
    assert "weights" in matrices(app, "attention.stages")


def test_who_comes_without_a_link_meets_encoder_self_attention_and_then_where_q_comes_from(open_link: Open) -> None:
    app = open_link("attention", model="", open="projection", lang="en")
    assert boards(app)[:2] == ["attention.stages", "attention.projection"]
    app = open_link("attention", model="", open="")
    settings = app.session_state["settings"]
    assert (settings["attention"].kind, settings["frame"].model) == ("encoder", "spanish")
    assert "kind" in app.query_params
    assert panel(app, "attention.stages", "products")["labels"]["row"][1] == "I"


@pytest.mark.parametrize("model", ["trained", "translate"])
def test_a_link_without_a_kind_means_cross_attention_whatever_the_model(open_link: Open, model: str) -> None:
    app = open_link("attention", model=model, open="", stage="weights")
    assert "→" in panel(app, "attention.stages", "weights")["labels"]["row"][1]


def test_the_menu_leads_a_newcomer_to_encoder_self_attention_and_keeps_what_was_chosen_there(open_link: Open) -> None:
    assert menu_link(open_link("tokens", model="", open=""), "attention")["kind"] == "encoder"
    assert "kind" not in menu_link(open_link("tokens", model="trained", open="", lang="en"), "attention")
    app = open_link("attention", model="", open="", lang="en")
    app.button_group(key="attention:kind").set_value("cross").run()
    assert "kind" not in app.query_params
    assert app.session_state["settings"]["frame"].model == "spanish"


def test_a_short_sentence_is_one_click_away_and_its_numbers_stand_in_the_cells(open_link: Open) -> None:
    app = open_link("attention", model="translate", kind="encoder", stage="weights", open="", lang="en")
    assert not panel(app, "attention.stages", "weights")["print"]
    app.button(key="short").click().run()
    assert not app.exception
    assert app.text_input(key="frame:src").value == "two white cats sleep"
    assert panel(app, "attention.stages", "weights")["print"]


@in_turn("reply", ["same", "aligned", "all"])
def test_of_words_it_is_asked_and_measured_where_they_stand(open_link: Open, lang: str, reply: str) -> None:
    link = {"model": "translate", "src": "two white cats sleep", "lang": lang}
    say = Words("attention", lang)
    app = open_link("attention", open="", looks_words=reply, **link)
    right = reply == "aligned"
    assert [box.value for box in app.error] == ([] if right else [say(f"looks_words.wrong.{reply}")])
    assert any(say("looks_words.right") in box.value for box in app.success) is right
    weights = matrices(open_link("heads", open="", **link), "heads.wall")["cross.0.2"]
    rows, places = [0, 1, 2, 4, 5], [1, 3, 2, 3, 4]  # 两 只 白色 猫 睡觉, which stand for two cats white cats sleep
    share = number(float(weights[rows, places].mean()), 3)
    assert any(f"· {share} ·" in block.value for block in app.markdown)


def test_where_no_gold_is_known_nothing_is_measured_by_it(open_link: Open) -> None:
    app = open_link("attention", open="", model="translate", src="cats white two sleep", looks_words="all", lang="en")
    assert Words("attention", "en")("looks_words.unknown") in [block.value for block in app.markdown]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("model", "src", "step"), [("trained", "1 4 2", "4 → 2"), ("translate", "two cats sleep", "两 → 只")]
)
def test_the_words_take_a_row_of_the_figure_as_their_example(
    open_link: Open, lang: str, model: str, src: str, step: str
) -> None:
    for kind in ("decoder", "cross"):
        app = open_link("attention", open="", model=model, src=src, kind=kind, cell="products.1.1", lang=lang)
        assert f"“{step}”" in written(app)
