"""The tokens chapter on a print-out of the notes: the rows that they print are not from the table that they print."""

import numpy as np
import pytest

from tests.app.boards import boards, matrices, written
from tests.app.conftest import Open
from ui.text import LANGUAGES, Words


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_printed_row_is_in_the_printed_table(open_link: Open, lang: str) -> None:
    app = open_link("tokens", open="printed", lang=lang)
    assert "tokens.printed_table" in boards(app)
    assert "tokens.printed_rows" not in boards(app), "before there is a reply"
    app = open_link("tokens", open="printed", printed="-0.4144", lang=lang)
    assert [box.value for box in app.error] == [Words("tokens", lang)("printed.wrong.given_there")]
    given = matrices(app, "tokens.printed_table")
    table, ids = given["weights"], given["printed_ids"].astype(int)
    shown = matrices(app, "tokens.printed_rows")
    np.testing.assert_array_equal(shown["looked"], table[ids.ravel()])
    assert (table[3, 0], shown["given"][0, 0]) == pytest.approx((1.8526, -0.4144))
    apart = np.abs(shown["given"][:, None] - table[None]).max(-1)
    assert apart.min() > 1.5
    paddings = shown["given"][ids.ravel() == 0]
    assert len(paddings) == 4
    assert np.ptp(paddings, axis=0).max() == 0
    assert Words("tokens", lang)("printed.text", nearest=f"{apart.min():.3g}", paddings=4) in written(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_padding_idx_means_is_set_right(open_link: Open, lang: str) -> None:
    assert Words("tokens", lang)("zero.notes") in written(open_link("tokens", open="zero", learned="zero", lang=lang))
