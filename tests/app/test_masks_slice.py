"""The masks chapter's last two traps: a mask that is too large, and a batch without paddings."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.app.boards import matrices
from tests.app.conftest import Open


def words(app: AppTest) -> str:
    return "\n".join(block.value for block in app.markdown)


def test_the_last_queries_are_given_the_first_rows_where_the_mask_is_cut(open_link: Open) -> None:
    app = open_link("masks", open="slice", slice_size="5", slice_queries="2", lang="en")
    shown = matrices(app, "masks.slice")
    assert shown["cut"].tolist() == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]
    assert shown["own"].tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert shown["cut_weights"][1].tolist() == [0.5, 0.5, 0, 0, 0]
    assert shown["own_weights"][1] == pytest.approx([0.2] * 5)
    assert "ValueError: a mask of shape (5, 5) does not broadcast to scores (2, 5)" in words(app)


def test_a_mask_that_fits_is_neither_cut_nor_refused(open_link: Open) -> None:
    app = open_link("masks", open="slice", slice_size="4", slice_queries="9", lang="en")
    shown = matrices(app, "masks.slice")
    assert np.array_equal(shown["cut_weights"], shown["own_weights"])
    assert "answers `shape (4, 1)`" in words(app)


def test_the_notes_own_batch_has_nothing_to_mask_and_one_with_paddings_has(open_link: Open) -> None:
    app = open_link("masks", open="own", lang="en")
    shown = matrices(app, "masks.own")
    assert shown["src"].shape == (1, 100)
    assert shown["src"].all()
    assert np.array_equal(shown["ours"], shown["notes"])
    assert shown["ours"].shape == (99, 99)
    app.slider(key="masks:own_paddings").set_value(20).run()
    shown = matrices(app, "masks.own")
    assert shown["src"].sum() == 80
    assert not shown["notes"][79:].any()
    assert shown["ours"][98].sum() == 79
    assert "**640** of 3200" in words(app)
