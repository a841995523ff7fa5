"""What a reader can do wrong on a page: no traceback, a sentence where it happens, and nothing lost."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.app.conftest import Open
from ui import matrix
from ui.settings.chapters import CHAPTERS

# The right answers, chapter by chapter: they open everything that a question hides.
ANSWERS: dict[str, dict[str, str]] = {
    "tokens": {"small": "tenth", "equal": "none", "pad_shape": "last_first", "learned": "zero"},
    "positions": {"slowest": "628.3", "angle": "pair_and_shift", "order": "moved", "beyond": "few"},
    "masks": {"pairs": "36", "blank": "uniform", "future": "from"},
    "scaling": {"sharp": "near", "spread": "8"},
    "attention": {"sums": "rows", "looks": "next", "kept": "1.2"},
    "heads": {"never": "decoder", "size": "64"},
    "layers": {"ask_depth": "post"},
}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_cell_of_every_matrix_can_be_chosen(open_link: Open, monkeypatch: pytest.MonkeyPatch, chapter: str) -> None:
    clicked: set[tuple[str, str, int]] = set()

    def click(*, key: str, data: Mapping[str, Any], **_: object) -> dict[str, Any]:
        """A canvas whose reader clicks, run by run, the corners of each matrix; one head is enough."""
        for panel in data["panels"]:
            rows, columns = panel["shape"]
            for row, column in ((0, 0), (rows - 1, columns - 1)):
                where = (key, panel["key"].split(".")[0], row)
                if where not in clicked:
                    clicked.add(where)
                    return {"chosen": {"number": data["heard"] + 1, "cell": [panel["key"], row, column]}}
        return {}

    monkeypatch.setattr(matrix, "_mount", click)
    before = -1
    while len(clicked) > before:
        before = len(clicked)
        assert not open_link(chapter, **ANSWERS.get(chapter, {})).exception
    assert clicked


# Chapter, setting, and what has to be set for its field to be on the page.
FIELDS = [
    ("tokens", "src_lengths", {"example": "lengths"}),
    ("tokens", "tgt_lengths", {"example": "lengths"}),
    ("tokens", "repeated", {"equal": "none"}),
    ("positions", "slowest", {}),
    ("positions", "dims", {}),
    ("positions", "phrase", {}),
    ("masks", "pairs", {}),
    ("masks", "lengths", {}),
    ("scaling", "scores", {}),
    ("scaling", "spread", {}),
    ("attention", "src", {}),
    ("attention", "tgt", {}),
    ("attention", "kept", {}),
    ("heads", "size", {}),
    ("layers", "ask_norm", {}),
    ("layers", "ask_drop", {}),
    ("walkthrough", "src", {}),
    ("walkthrough", "ask_shape", {}),
    ("decoding", "src", {}),
    ("loss", "targets", {}),
    ("loss", "src", {}),
    ("training", "src", {}),
]


@pytest.mark.parametrize(("chapter", "name", "link"), FIELDS)
def test_typed_nonsense_is_quoted_in_a_sentence_and_never_read_as_markdown(
    open_link: Open, chapter: str, name: str, link: dict[str, str]
) -> None:
    app = open_link(chapter, **link, **{name: "**x**:red[y]`"})
    assert not app.exception
    quoted = [warning.value for warning in app.warning if "**x**" in warning.value]
    assert quoted
    assert all("`` **x**:red[y]` ``" in sentence for sentence in quoted)
