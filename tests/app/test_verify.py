"""The chapter that checks the others: nothing runs before a click, then row by row; and which checks catch a break."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Open
from tests.app.test_figures import computed
from transformer_core.verify.broken import Break
from transformer_core.verify.checks import FLOAT32
from ui.cache import ValueCache
from ui.chapters.verify import values
from ui.chapters.verify.formulas import EVERY
from ui.figures.figure import Figure
from ui.text import LANGUAGES, Words

RUN = "vocab:9,length:6,d_model:16,h:2,batch:4,steps:2,warmup:1,norm_first:false,scale:false"


@pytest.fixture(autouse=True)
def fresh_store(monkeypatch: pytest.MonkeyPatch) -> ValueCache:
    """Nobody has measured anything on this server yet."""
    store = ValueCache()
    monkeypatch.setattr(values, "cached", store)
    return store


@pytest.fixture
def code_is_known(fresh_store: ValueCache) -> None:
    """But what is of the code, and of no model."""
    for check in EVERY:
        if not check.of_the_model:
            fresh_store.put(("check", check.name, "none"), np.array(0.0))


def rows(app: AppTest) -> Iterator[tuple[str, str, str]]:
    """Error, tolerance and verdict of each row, in the order of EVERY."""
    (table,) = [item.proto.body for item in app.main.get("html") if 'class="checks"' in item.proto.body]
    found = re.findall(r'<td>([^<]*)</td><td>([^<]*)</td><td class="\w*">([^<]*)</td>', table)
    assert len(found) == len(EVERY)
    yield from found


def run(app: AppTest, say: Words) -> AppTest:
    (button,) = [button for button in app.button if button.label == say("run")]
    button.click().run()
    assert not app.exception
    return app


def verdicts(app: AppTest) -> dict[str, str]:
    return {check.name: verdict for check, (_, _, verdict) in zip(EVERY, rows(app))}


def test_a_link_measures_nothing_and_the_button_fills_every_row_for_all_readers(open_link: Open) -> None:
    for lang in LANGUAGES:
        app = open_link("verify", only="checks", lang=lang)
        assert not app.exception
        assert {(error, verdict) for error, _, verdict in rows(app)} == {("", "")}
        assert {tolerance for _, tolerance, _ in rows(app)} == {"10⁻¹²", "10⁻⁷", "0.0001", "0"}
        assert not app.success
    run(app, Words("verify", lang))
    for lang in LANGUAGES:
        app, say = open_link("verify", only="checks", lang=lang), Words("verify", lang)
        assert set(verdicts(app).values()) == {say("passed")}
        assert all(error for error, _, _ in rows(app))
        assert [box.value for box in app.success] == [say("all_hold", count=len(EVERY))]
        assert not [button for button in app.button if button.label == say("run")]


def test_a_break_shows_as_failed_in_words_and_the_checks_that_caught_it_are_named(open_link: Open) -> None:
    run(open_link("verify", only="checks", lang="en", broken="axis"), Words("verify", "en"))
    for lang in LANGUAGES:
        app, say = open_link("verify", only="checks", lang=lang, broken="axis"), Words("verify", lang)
        shown = verdicts(app)
        assert shown["rows"] == shown["causality"] == shown["attention"] == shown["formulas"] == say("failed")
        assert shown["jacobian"] == shown["gradients"] == shown["recorded"] == say("passed")
        failed = [say(f"check.{name}.name") for name, verdict in shown.items() if verdict == say("failed")]
        (info,) = [box.value for box in app.info]
        assert info == say("caught", failed=len(failed), count=len(EVERY), names=say("comma").join(failed))


def test_what_is_of_the_code_is_measured_once_for_all_models(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    say = Words("verify", "en")
    link = {"only": "checks", "lang": "en", "model": "fresh"}
    run(open_link("verify", **link), say)
    app = open_link("verify", src="1 4 4 2", **link)
    shown = {check.name: error for check, (error, _, _) in zip(EVERY, rows(app))}
    assert {name for name, error in shown.items() if not error} == {c.name for c in EVERY if c.of_the_model}
    monkeypatch.setattr(values.Examined, "measure", None)  # nothing is measured for who comes next
    assert set(verdicts(open_link("verify", **link)).values()) == {say("passed")}


@pytest.mark.usefixtures("code_is_known")
def test_a_check_that_fails_without_a_break_shows_as_failed(open_link: Open, fresh_store: ValueCache) -> None:
    say = Words("verify", "en")
    fresh_store.put(("check", "norm", "none"), np.array(0.5))
    fresh_store.put(("check", "rotation", "none"), np.array(np.nan))
    app = run(open_link("verify", only="checks", lang="en", model="fresh"), say)
    assert {name for name, verdict in verdicts(app).items() if verdict == say("failed")} == {"norm", "rotation"}
    assert [box.value for box in app.error] == [
        say("some_fail", failed=2, count=len(EVERY), names="LayerNorm, Rotation of positions")
    ]


def test_the_program_measures_the_numbers_of_the_table(open_link: Open, shown: list[Figure]) -> None:
    link = {"only": "checks", "lang": "en", "model": "translate", "src": "I rest", "broken": "mask"}
    run(open_link("verify", **link), Words("verify", "en"))
    (figure,) = (one for one in shown if one.name == "checks")
    state = torch.get_rng_state()
    np.testing.assert_allclose(computed(figure.program), figure.data, atol=1e-5, rtol=1e-3)
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.usefixtures("code_is_known")
@pytest.mark.parametrize("src", ["", "1", "hello", "1 0 0", "1 2 3 4 5 6 7 8 9 10 9 8 7 6 5"])
def test_a_short_a_long_and_no_sequence(open_link: Open, src: str) -> None:
    app = open_link("verify", only="checks", lang="en", model="fresh", src=src)
    assert not app.exception
    if not app.warning:
        run(app, Words("verify", "en"))
        assert "✗ failed" not in verdicts(app).values()


@pytest.mark.usefixtures("code_is_known")
def test_a_run_of_the_readers_own_is_checked_as_well(open_link: Open) -> None:
    app = run(open_link("verify", only="checks", lang="en", model="run", run=RUN, src="1 4 2 7"), Words("verify", "en"))
    assert not app.warning
    assert set(verdicts(app).values()) == {"✓ passed"}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_own_model_is_explained_and_its_weights_are_those_of_the_model_at_hand(open_link: Open, lang: str) -> None:
    app = open_link("verify", lang=lang, model="translate", src="I rest", open="own", own_layer="5", own_head="3")
    assert not app.exception
    (code,) = [block.value for block in app.code if block.value.startswith("from transformer_core import explain")]
    assert code.endswith('explanation.weights("decoder", layer=0)')  # the last layer that there is
    said = Words("verify", lang)
    before, after = said("own.same", count=4 * (4 * 4 + 4 * 3 + 3 * 3), error="@", tolerance="0.0001").split("@")
    (error,) = [text.value[len(before) :] for text in app.markdown if text.value.startswith(before)]
    written = error.removesuffix(after).replace("×10", "e").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    assert float(written) < 1e-4


def test_where_nothing_can_be_explained_a_sentence_says_so(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise ValueError("decoder.layers.0 computes something else as well")

    monkeypatch.setattr("ui.chapters.verify.own.explain", refuses)
    app = open_link("verify", lang="en", model="translate", src="we rest today", open="own")
    assert not app.exception
    assert [box.value for box in app.warning] == [Words("verify", "en")("own.refused")]


def test_without_a_sequence_the_own_model_reads_that_of_the_model(open_link: Open) -> None:
    app = open_link("verify", lang="en", src="hello", open="own")
    assert not app.exception
    assert len(app.warning) == 1
    assert [code.value for code in app.code] == [code.value for code in open_link("verify", lang="en", open="own").code]
    assert app.code


@pytest.mark.parametrize(
    ("model", "how"),
    [
        ("translate", "none"),
        ("trained", "mask"),
        ("fresh", "axis"),
        ("fresh", "scale"),
        ("run", "none"),
        ("run", "scale"),
    ],
)
def test_an_attention_beside_that_of_pytorch_is_seen_at_once_and_a_break_in_it(
    open_link: Open, shown: list[Figure], model: str, how: Break
) -> None:
    src = "I rest" if model == "translate" else "1 4 2 7"
    app = open_link("verify", only="beside", lang="en", model=model, src=src, broken=how, run=RUN)
    assert not app.exception
    (figure,) = (one for one in shown if one.name == "beside")
    ours, theirs, difference = np.split(np.asarray(figure.data), 3)
    np.testing.assert_array_equal(difference, ours - theirs)
    assert theirs.sum(1) == pytest.approx(1, abs=1e-5)
    assert not np.triu(theirs, 1).any()
    spoiled = how != "none" and not (model == "run" and how == "scale")  # that one has no scale to leave out
    assert (np.abs(difference).max() > FLOAT32) == spoiled
    said = [text.value for text in app.markdown]
    assert any("far above the tolerance" in text for text in said) == spoiled
    np.testing.assert_allclose(computed(figure.program), figure.data, atol=1e-5)
