"""The probes of the chapter on masks: what they say about what they have measured."""

import pytest

from tests.app.answers import right
from tests.app.conftest import Open

ANSWERED = {"open": "probes"} | right("masks", "future")


@pytest.mark.parametrize(
    ("src", "sentence"),
    [
        ("1 3 2 5 4 6 7 8 9 10", "**36 格全部恰好为 0**"),
        ("1 7", "对角线上方没有格子"),
    ],
)
def test_how_many_cells_of_the_causality_probe_are_exactly_0_is_counted(
    open_link: Open, src: str, sentence: str
) -> None:
    app = open_link("masks", src=src, lang="zh", **ANSWERED)
    assert any(sentence in block.value for block in app.markdown)
