"""One matrix of the model at hand beside the same of another: in every chapter, from any link."""

from itertools import cycle, product

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import boards, matrices, panel, written
from tests.app.conftest import Open, menu_link
from tests.kinds import kind_of
from transformer_core import START
from ui.cache import cached
from ui.chapters.shared.tensors import grid
from ui.model.current_model import compared, model_at_hand
from ui.model.recorded import forward
from ui.sections.sequence_fields import LONGEST
from ui.settings.chapters import CHAPTERS, MAP
from ui.settings.frame import Frame
from ui.settings.shared import Compared
from ui.text import LANGUAGES, Words

WITH = [chapter for chapter in (MAP, *CHAPTERS) if issubclass(kind_of(chapter), Compared)]
WITHOUT = [chapter for chapter in CHAPTERS if chapter not in WITH]  # their figures show no matrix of the model at hand
RUN = "N:2,d_model:48,h:8,d_ff:192,norm_first:false,scale:false,steps:6,seed:4"


def select(app: AppTest, level: str, value: str) -> None:
    (box,) = [box for box in app.selectbox if str(box.key).endswith(f".delta.{level}")]
    box.set_value(value).run()
    assert not app.exception


@pytest.mark.parametrize(
    ("chapter", "model", "lang"),
    [(*of, lang) for of, lang in zip(product(WITH, ("trained", "translate", "fresh")), cycle(LANGUAGES))],
)
def test_every_chapter_that_shows_the_model_shows_the_difference(
    open_link: Open, chapter: str, model: str, lang: str
) -> None:
    other = {"trained": "untrained", "translate": "axis", "fresh": "trained"}[model]
    app = open_link(chapter, open="", model=model, compare=other, lang=lang)
    assert not app.exception
    assert not app.warning
    assert boards(app).count(f"{chapter}.difference") == 1
    shown = matrices(app, f"{chapter}.difference")
    np.testing.assert_allclose(shown["first"] - shown["second"], shown["difference"], atol=1e-5)
    assert Words("shell", lang)("difference.title") in [heading.value for heading in app.header]


@pytest.mark.parametrize("chapter", [*WITH, *WITHOUT])
def test_nothing_of_it_is_there_unless_it_is_asked_for(open_link: Open, chapter: str) -> None:
    app = open_link(chapter, open="")
    assert f"{chapter}.difference" not in boards(app)


def test_all_chapters_but_those_on_other_models_have_it() -> None:
    assert WITHOUT == ["why_attention", "scaling", "backward", "gpt", "answer_cost", "further", "practice", "symptoms"]


@pytest.mark.parametrize("chapter", WITHOUT)
def test_a_chapter_without_the_model_says_where_the_difference_is(open_link: Open, chapter: str) -> None:
    app = open_link(chapter, open="", compare="mask", lang="en")
    assert not app.exception
    assert Words("shell", "en")("compare_elsewhere") in [caption.value for caption in app.sidebar.caption]


def test_the_three_matrices_are_those_of_the_models_on_one_scale(open_link: Open) -> None:
    app = open_link("heads", open="", compare="mask", delta="decoder.layers.1.self_attn.weights", delta_head="2")
    src = (START, 3, 2, 5, 4, 6, 7, 8, 9, 10)
    frame = Frame(compare="mask")
    at_hand = model_at_hand(frame)
    other = compared(frame, at_hand)
    assert other is not None
    a, b = (
        grid(forward(one.load(), src, src[:-1])[1]["decoder.layers.1.self_attn.weights"])[2] for one in (at_hand, other)
    )
    shown = matrices(app, "heads.difference")
    for values, key in ((a, "first"), (b, "second"), (a - b, "difference")):
        np.testing.assert_allclose(shown[key], values, atol=1e-5)
    ends = [panel(app, "heads.difference", key)["ends"] for key in ("first", "second", "difference")]
    assert ends[0] == ends[1] == [0, 1]
    assert ends[2][0] == -ends[2][1]


def test_a_matrix_is_chosen_by_its_place_and_kept_in_the_link(open_link: Open) -> None:
    app = open_link("heads", open="", compare="untrained")
    select(app, "part", "feed_forward")
    select(app, "what", "w_1.weight")
    assert matrices(app, "heads.difference")["first"].shape == (24, 64)
    assert menu_link(app, "heads")["delta"] == "decoder.layers.0.feed_forward.w_1.weight"
    select(app, "layer", "1")
    select(app, "stack", "encoder")
    assert menu_link(app, "heads")["delta"] == "encoder.layers.1.feed_forward.w_1.weight"
    select(app, "stack", "generator")
    assert panel(app, "heads.difference", "first")["labels"]["row"][:2] == ["⟨s⟩", "3"]


def test_of_a_large_matrix_a_part_is_shown_and_said(open_link: Open) -> None:
    delta = "encoder.layers.0.feed_forward.w_2.weight"
    app = open_link("layers", open="", model="trained", compare="untrained", delta=delta, delta_row="30", lang="en")
    assert matrices(app, "layers.difference")["first"].shape == (24, 64)
    assert panel(app, "layers.difference", "first")["first"] == [30, 0]
    said = {"rows": 64, "columns": 256, "first_row": 30, "last_row": 53, "first_column": 0, "last_column": 63}
    assert Words("shell", "en")("difference.slice", **said) in written(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_shapes_that_differ_are_both_named(open_link: Open, lang: str) -> None:
    run = {"model": "trained", "compare": "run", "other": RUN}
    app = open_link("attention", open="", delta="encoder.layers.0.self_attn.output", lang=lang, **run)
    assert not app.exception
    shapes = {"tensor": "encoder.layers.0.self_attn.output", "a": "10 × 64", "b": "10 × 48"}
    assert [warning.value for warning in app.warning] == [Words("shell", lang)("difference.shapes", **shapes)]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_models_of_other_words_are_told_apart_and_their_other_parameters_compared(open_link: Open, lang: str) -> None:
    say = Words("shell", lang)
    for delta in ("encoder.output", "src_embed.0.lut.weight"):
        app = open_link("attention", open="", compare="translate", delta=delta, lang=lang)
        assert [warning.value for warning in app.warning] == [say("difference.other_words")]
    app = open_link("attention", open="", compare="translate", delta="encoder.layers.0.self_attn.linears.0.weight")
    assert not app.warning
    assert "attention.difference" in boards(app)
    missing = "decoder.layers.1.self_attn.linears.0.weight"
    app = open_link("attention", open="", compare="translate", delta=missing, lang=lang)
    assert [warning.value for warning in app.warning] == [say("difference.not_there", tensor=missing, layers=1)]


def test_a_step_of_the_run_at_hand_is_trained_and_compared(open_link: Open) -> None:
    run = {"model": "run", "run": RUN, "compare": "step"}
    app = open_link("heads", open="", other_step="2", lang="en", **run)
    assert not app.exception
    assert app.number_input(key="frame:other_step").value == 2
    titles = [panel(app, "heads.difference", key)["title"] for key in ("first", "second")]
    assert titles == ["A: step 6", "B: step 2"]
    app.number_input(key="frame:other_step").set_value(6).run()
    assert Words("shell", "en")("difference.same") in written(app)
    app.number_input(key="frame:other_step").set_value(-1).run()
    assert not app.exception
    assert app.number_input(key="frame:other_step").value == 6
    refusal = {"label": Words("shell", "en")("other_step"), "low": 0, "high": 6, "given": "−1", "kept": 6}
    assert [warning.value for warning in app.sidebar.warning] == [Words("shell", "en")("out_of_range", **refusal)]


def test_choosing_another_step_begins_half_way(open_link: Open) -> None:
    app = open_link("tokens", open="", model="run", run=RUN)
    app.selectbox(key="frame:compare").set_value("step").run()
    assert not app.exception
    assert app.number_input(key="frame:other_step").value == 3


@pytest.mark.parametrize("chapter", WITH)
def test_a_hostile_link_compares_with_nothing_or_the_nearest(open_link: Open, chapter: str) -> None:
    nonsense = {"delta": "../..<script>", "delta_head": "9", "delta_row": "9e9", "delta_cell": "x.1.-1"}
    app = open_link(chapter, open="", compare="everything", other="d_model:0", other_step="-3", **nonsense)
    assert not app.exception
    assert f"{chapter}.difference" not in boards(app)
    app = open_link(chapter, open="", compare="scale", **nonsense)
    assert not app.exception
    assert f"{chapter}.difference" in boards(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_run_that_cannot_be_had_is_a_sentence(open_link: Open, lang: str) -> None:
    app = open_link("heads", open="", compare="run", other="d_model:0,h:x", lang=lang)
    assert not app.exception
    assert Words("shell", lang)("compare_missing.config") in [warning.value for warning in app.sidebar.warning]
    assert "heads.difference" not in boards(app)


def test_of_what_is_no_sequence_the_models_example_is_compared(open_link: Open) -> None:
    app = open_link("heads", open="", compare="scale", src="hello", lang="en")
    assert not app.exception
    assert menu_link(app, "heads")["src"] == "hello"
    example = open_link("heads", open="", compare="scale", lang="en")
    for part, values in matrices(app, "heads.difference").items():
        np.testing.assert_array_equal(values, matrices(example, "heads.difference")[part])


def test_two_models_that_the_server_cannot_keep_are_not_compared(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached, "budget", 2**20)
    app = open_link("tokens", open="", compare="untrained", lang="en")
    assert not app.exception
    assert "tokens.difference" not in boards(app)
    assert "tokens.difference" in boards(open_link("tokens", open="", compare="mask")), "which shares the weights"


def test_a_lecture_comes_by_the_difference_and_a_link_can_show_it_alone(open_link: Open) -> None:
    for alone in ({"only": "difference"}, {"only": "difference", "present": "1"}):
        app = open_link("heads", open="", compare="untrained", **alone)
        assert not app.exception
        assert boards(app) == ["heads.difference"]
    assert "heads.wall" in boards(open_link("heads", open="", only="difference")), "which is not there"


def test_the_longest_sequence_is_compared_too(open_link: Open) -> None:
    src = " ".join(["1", *(["3"] * (LONGEST - 1))])
    app = open_link("heads", open="", compare="untrained", src=src)
    assert not app.exception
    assert matrices(app, "heads.difference")["first"].shape == (24, LONGEST)
