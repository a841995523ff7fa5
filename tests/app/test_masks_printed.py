"""The masks chapter on two calls of the notes: a print-out to be checked, and a mask that ours refuses."""

import numpy as np
import pytest
import torch

from tests.app.boards import boards, matrices, written
from tests.app.conftest import Open
from ui.text import LANGUAGES, Words


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_printed_mask_is_that_of_a_narrower_batch_than_the_scores(open_link: Open, lang: str) -> None:
    assert "masks.printed" not in boards(open_link("masks", open="convention", lang=lang)), "before there is a reply"
    app = open_link("masks", open="convention", printed="scores", lang=lang)
    shown = matrices(app, "masks.printed")
    for at, length in enumerate((2, 4)):
        real = np.arange(4) < length
        assert np.array_equal(shown[f"printed{at}"], ~np.outer(real, real))
        assert shown[f"scores{at}"].shape == (5, 5)
    with pytest.raises(RuntimeError) as refusal:
        torch.zeros(2, 5, 5).masked_fill(torch.ones(2, 4, 4).bool(), 0)
    assert Words("masks", lang)("printed.text", refusal=refusal.value) in written(app)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_notes_mask_for_each_head_is_refused_with_both_shapes_and_taken_with_four_axes(
    open_link: Open, lang: str
) -> None:
    text = written(open_link("masks", open="axis", lang=lang))
    refusal = "a mask of shape (8, 1, 4, 4) does not broadcast to scores (2, 8, 4, 4)"
    assert Words("masks", lang)("axis.call", refusal=refusal, weight="0.25") in text
