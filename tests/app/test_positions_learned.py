"""The table of positions that a run has learned, beside the sinusoids, and what both do past the trained length."""

import re
from itertools import cycle

import numpy as np
import pytest
import torch
from torch import nn

from tests.app import boards
from tests.app.answers import right
from tests.app.boards import matrices
from tests.app.conftest import Open, look_again
from tests.app.position_code import code, said
from tests.app.test_training_experiments import session
from transformer_core.train import train_to
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model
from ui.chapters.positions import learned
from ui.chapters.positions.learned import PAST, exact_of
from ui.chapters.training.race import differing
from ui.figures.evaluated import errors
from ui.figures.figure import Board, Figure
from ui.model.run_link import run_text
from ui.text import LANGUAGES, Words

LENGTH = 6
SEED = 8


def table_of(model: nn.Module) -> np.ndarray:
    return model.get_parameter(learned.TABLE).detach()[: LENGTH + PAST].numpy()


def test_two_runs_of_one_press_give_the_table_and_how_far_each_encoding_reaches(
    open_link: Open, shown: list[Figure]
) -> None:
    config = TrainConfig(length=LENGTH, seed=SEED, learned_positions=True)
    link = {"open": "learned_table", "table_length": str(LENGTH), "table_seed": str(SEED)}
    app = open_link("positions", lang="zh", **link)
    assert "positions.learned_table" not in boards.boards(app)
    app.button(key="positions.start").click().run()
    assert not app.exception
    look_again(app)
    model = train_to(config, config.steps).eval()
    drawn, start = matrices(app, "positions.learned_table"), table_of(fresh_model(config))
    np.testing.assert_allclose(drawn["table"], table_of(model)[:, : learned.SHOWN], atol=1e-5)
    np.testing.assert_allclose(drawn["sinusoids"], code(LENGTH + PAST, config.d_model)[:, : learned.SHOWN], atol=1e-5)
    np.testing.assert_allclose(drawn["moved"][:, 0], np.abs(table_of(model) - start).max(1), atol=1e-5)
    assert drawn["moved"][:LENGTH].min() > 0
    assert not drawn["moved"][LENGTH:].any()
    reach = matrices(app, "positions.reach")["exact"]
    lengths = tuple(range(LENGTH, LENGTH + PAST + 1))
    np.testing.assert_allclose(reach[:, 1], exact_of(lengths, model), atol=0.02)
    assert (reach[0] > 0.9).all()
    assert reach[1, 0] > reach[1, 1], "a sinusoid at a new position is like its neighbours, a new row is random"
    with pytest.raises(ValueError, match="before") as refusal:
        model.get_submodule("src_embed.1")(torch.zeros(1, 81, config.d_model))
    assert str(refusal.value) in re.sub("<[^>]+>", "", said(app))
    for figure in shown:
        if figure.name in ("learned_table", "reach"):
            assert isinstance(figure.picture, Board)
            assert max(errors(figure.picture).values()) < 1e-4


def test_bad_values_in_a_link_become_the_defaults_or_a_sentence(open_link: Open) -> None:
    app = open_link("positions", lang="en", open="learned_table", table_length="x", table_seed="-1")
    assert (app.slider(key="positions:table_length").value, app.slider(key="positions:table_seed").value) == (10, 0)
    config = TrainConfig(learned_positions=True)
    assert Words("positions", "en")(
        "learned_table.waiting", steps=config.steps, length=10, rows=config.shape.position_rows
    ) in said(app)


@pytest.mark.parametrize(
    ("chapter", "lang"),
    [*zip(("positions", "tokens", "walkthrough", "backward", "heads", "map", "decoding"), cycle(LANGUAGES))],
)
def test_every_chapter_can_show_a_model_that_has_learned_its_positions(
    open_link: Open, shown: list[Figure], chapter: str, lang: str
) -> None:
    run = run_text(TrainConfig(steps=2, learned_positions=True))
    app = open_link(chapter, lang=lang, model="run", run=run, **right(chapter))
    assert not app.exception
    assert Words("shell", lang)("model_learned_positions") in [text.value for text in app.caption]
    for figure in shown:
        if isinstance(figure.picture, Board):
            assert max(errors(figure.picture).values(), default=0) < 1e-4, figure.name


@pytest.mark.parametrize(("task", "lang"), [*zip(("copy", "translate"), LANGUAGES, strict=True)])
def test_a_link_sets_a_run_that_learns_its_positions(open_link: Open, task: str, lang: str) -> None:
    words = Words("training", lang)
    app = open_link("training", lang=lang, task=task, learned_positions="1", d_model="8", batch="8", steps="9")
    [start] = [button for button in app.button if button.label == words("start")]
    start.click().run()
    look_again(app)
    [past] = session().past
    assert past.config.learned_positions
    assert past.step == past.config.steps
    assert words("differs.learned_positions") in differing(words, past.config)
    assert app.query_params["learned_positions"] in ("1", ["1"])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_positions_that_are_to_be_learned_and_left_out_are_refused_in_words(open_link: Open, lang: str) -> None:
    app = open_link("training", lang=lang, positions="0", learned_positions="1")
    assert Words("training", lang)("refused.no_positions") in [box.value for box in app.warning]


def test_a_value_that_is_no_switch_leaves_the_sinusoids(open_link: Open) -> None:
    app = open_link("training", lang="en", learned_positions="seven")
    assert not app.exception
    assert "learned_positions" not in app.query_params
