"""A run with other parts than usual: tied embeddings, learned positions, post-norm. Set by a link, shown by every
chapter."""

import pytest

from tests.app.answers import right
from tests.app.conftest import Open
from transformer_core.training.config import TrainConfig
from ui.figures.evaluated import errors
from ui.figures.figure import Board, Figure
from ui.model.run_link import run_text
from ui.text import LANGUAGES, Words

RUN = TrainConfig(steps=2, N=2, tied=True, learned_positions=True, norm_first=False)


@pytest.mark.parametrize("chapter", ["tokens", "walkthrough", "backward", "heads", "map", "loss", "decoding"])
def test_every_chapter_can_show_a_model_with_other_parts(open_link: Open, shown: list[Figure], chapter: str) -> None:
    app = open_link(chapter, lang="en", model="run", run=run_text(RUN), **right(chapter))
    assert not app.exception
    said = [text.value for text in app.caption]
    assert all(Words("shell", "en")(key) in said for key in ("model_tied", "model_learned_positions"))
    for figure in shown:
        if isinstance(figure.picture, Board):
            assert max(errors(figure.picture).values(), default=0) < 1e-4, figure.name


def test_the_tables_section_counts_what_one_matrix_saves(open_link: Open) -> None:
    app = open_link("tokens", lang="en", model="run", run=run_text(RUN), **right("tokens"))
    apart = RUN.parameters + 2 * RUN.vocab * RUN.d_model
    assert any(f"{RUN.parameters:,}" in text.value and f"{apart:,}" in text.value for text in app.markdown)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_two_vocabularies_in_one_matrix_are_refused_in_words(open_link: Open, lang: str) -> None:
    app = open_link("training", lang=lang, task="translate", direction="en-zh", tied="1")
    assert Words("training", lang)("refused.tied") in [box.value for box in app.warning]
    assert app.query_params["tied"] in ("1", ["1"])
