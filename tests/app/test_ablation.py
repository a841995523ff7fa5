"""Which heads matter: measured when the reader asks, kept when he stops, and the same numbers as by hand."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import boards, matrices, panel, written
from tests.app.conftest import Open
from tests.app.test_figures import computed
from transformer_core.experiments.ablation import Scores, ablations, scores_without
from ui.cache import cached
from ui.chapters.heads.ablation import heads_off as page
from ui.chapters.heads.alignment.sentences import sentences_of
from ui.chapters.shared.look_lines import task_of
from ui.figures.evaluated import furthest
from ui.figures.figure import Board, Figure
from ui.model.current_model import ModelAtHand, model_at_hand
from ui.model.run_link import config_of
from ui.model.shipped import FILES
from ui.settings.frame import Frame
from ui.text import Words

ALONE = {"only": "ablation", "lang": "en"}
RUN = {"model": "run", "run": "N:2,d_model:48,h:3,d_ff:96,norm_first:false,steps:4,seed:4", "step": "4"}


@pytest.fixture(autouse=True)
def nobody_has_measured() -> Iterator[None]:
    cached.clear()
    yield
    cached.clear()


def press(app: AppTest, key: str, lang: str = "en") -> AppTest:
    (button,) = [one for one in app.button if one.label == Words("heads", lang)(f"ablation.{key}")]
    app = button.click().run()
    assert not app.exception
    return app


def offers(app: AppTest) -> list[str]:
    """What the section's button can be pressed for."""
    words = {Words("heads", "en")(f"ablation.{key}"): key for key in ("start", "go_on", "stop")}
    return [words[button.label] for button in app.button if button.label in words]


def to_the_end(app: AppTest) -> AppTest:
    """A page looks again by itself; here it is told to."""
    for _ in range(200):
        if offers(app) != ["stop"]:
            break
        assert not app.run().exception
    return app


def test_nothing_is_measured_before_the_reader_asks(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "scores_without", None)
    app = open_link("heads", **ALONE)
    assert not app.exception
    assert offers(app) == ["start"]
    assert "heads.ablation" not in boards(app)


@pytest.mark.parametrize("model", FILES)
def test_what_is_shown_is_what_is_measured_and_the_next_reader_sees_it_at_once(open_link: Open, model: str) -> None:
    to_the_end(press(open_link("heads", model=model, **ALONE), "start"))
    app = open_link("heads", model=model, **ALONE)
    assert offers(app) == []
    at_hand = model_at_hand(Frame(model=model))
    pairs = task_of(at_hand).held_out(200)
    whole, *without = [scores for _, scores in ablations(at_hand.load(), pairs)]
    shown = matrices(app, "heads.ablation")
    added = np.array([scores.loss - whole.loss for scores in without])
    np.testing.assert_allclose(shown["added"].ravel(), added, atol=1e-5)
    np.testing.assert_allclose(shown["exact"].ravel(), [scores.exact_match for scores in without], atol=0.011)
    ranked = matrices(app, "heads.ranked")["added"][:, 0]
    assert ranked[0] == 0
    np.testing.assert_allclose(ranked[1:], np.sort(added)[::-1][: page.RANKED], atol=1e-5)
    worst = panel(app, "heads.ranked", "added")["labels"]["row"][1]
    assert f"without **{worst}**" in written(app)
    assert f"{len(without)} heads are measured" in written(app)


def test_a_stop_keeps_what_there_is_and_from_there_it_goes_on(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "SLICE", 0.0)  # a head at a time
    asked: list[object] = []

    def counted(*given: Any) -> Scores:
        asked.append(given[-1])
        return scores_without(*given)

    monkeypatch.setattr(page, "scores_without", counted)
    app = press(open_link("heads", model="translate", **ALONE), "start")
    while len(asked) < 5:
        assert not app.run().exception
    press(app, "stop")
    before = len(asked)
    assert before < 13
    assert offers(app) == ["go_on"]
    assert Words("heads", "en")("ablation.stopped", done=before - 1, count=12) in [one.value for one in app.caption]
    assert np.isfinite(matrices(app, "heads.ablation")["added"]).sum() == before - 1  # and the others are left empty
    assert len(matrices(app, "heads.ranked")["added"]) == before  # the model as it is among them
    app.run()
    assert len(asked) == before
    to_the_end(press(app, "go_on"))
    assert offers(app) == []
    assert len(asked) == len(set(asked)) == 13


def test_a_run_in_post_norm_has_its_heads_switched_off_too(open_link: Open) -> None:
    app = to_the_end(press(open_link("heads", **(ALONE | RUN | {"lang": "zh"})), "start", "zh"))
    while "heads.ranked" not in boards(app):
        assert not app.run().exception
    assert matrices(app, "heads.ablation")["added"].shape == (6, 3)


@pytest.mark.parametrize("heads", [4, 12])
def test_formulas_and_programs_give_the_numbers_of_both_figures(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, shown: list[Figure], heads: int
) -> None:
    monkeypatch.setattr(page, "SLICE", 0.0)
    app = press(open_link("heads", model="translate", **ALONE), "start")
    while not any(figure.name == "ranked" and len(figure.data) > heads for figure in shown):
        assert not app.run().exception
    last = {figure.name: figure for figure in shown}
    for name in ("ablation", "ranked"):
        figure = last[name]
        assert isinstance(figure.picture, Board)
        found = furthest(figure.picture)
        assert found is not None
        assert found < 1e-5
        if heads == 12:
            np.testing.assert_allclose(computed(figure.program), figure.data, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    ("run", "count"),
    [
        ("", 200),
        ('task:"translate"', 200),
        ("d_model:512,h:8,d_ff:2048", 20),  # slow
        ("N:6,h:16,d_model:64,length:64", 20),  # 300,000 attention weights of each kind for one sequence
        ("N:1,h:1,vocab:1000,length:64", 20),  # 64,000 logits
    ],
)
def test_a_model_that_takes_much_time_or_memory_is_asked_fewer_sentences(run: str, count: int) -> None:
    at_hand = ModelAtHand("run", config_of(run), 0, 0)
    task = task_of(at_hand)
    assert task is not None
    assert sentences_of(at_hand, task) == count


def test_from_the_table_a_chosen_head_leads_to_what_becomes_of_the_sequence_without_it(open_link: Open) -> None:
    link = {"model": "translate", "lang": "en", "open": "ablation,-what_if", "ablation_cell": "exact.1.2"}
    app = to_the_end(press(open_link("heads", **link), "start"))
    press(app, "what_if")
    said = {name: "".join(app.query_params[name]) for name in ("open", "if_kind", "if_head")}
    assert said == {"open": "ablation,what_if", "if_kind": "decoder", "if_head": "2"}
    assert Words("heads", "en")("hurts.question") in written(app)
    way = Words("heads", "en")("ablation.what_if")
    assert way not in [button.label for button in open_link("heads", model="translate", **ALONE).button]
