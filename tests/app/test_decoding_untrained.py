"""The decoding chapter's table of untrained models."""

from itertools import pairwise

import pytest

from tests.app.boards import matrices, written
from tests.app.conftest import Open
from ui.text import LANGUAGES, Words


@pytest.mark.parametrize("lang", LANGUAGES)
def test_ten_untrained_models_stand_in_one_table_and_what_is_counted_is_counted_there(
    open_link: Open, lang: str
) -> None:
    app = open_link("decoding", open="untrained", untrained_seed="30", lang=lang)
    outputs = matrices(app, "decoding.untrained")["untrained"].astype(int)
    assert outputs.shape == (10, 10)
    assert not outputs[:, 0].any(), "the notes begin with 0"
    chosen = outputs[:, 1:].tolist()
    again = sum(a == b for row in chosen for a, b in pairwise(row))
    said = Words("decoding", lang)(
        "untrained.why",
        models=10,
        copied=sum(row == list(range(2, 11)) for row in chosen),
        kinds=f"{sum(len(set(row)) for row in chosen) / 10:.2g}",
        turns=9,
        again=f"{again / 80:.0%}",
        different=len(set(map(tuple, chosen))),
        start=0,
        d_model=64,
    )
    assert said in written(app)
