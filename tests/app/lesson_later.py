"""The claims of the lesson on what came after 2017, beside those of the other lessons."""

import numpy as np
import torch

from tests.app.lessons import CLAIMS, MARGIN, Seen, of
from transformer_core.training.row_run import fresh_one_stack
from ui.model.rows import continued_row, task_of
from ui.model.shipped import one_stack

__all__ = ["CLAIMS", "MARGIN", "Seen", "of"]


@of("later", 1)
def a_beginning_without_equals_is_finished_and_translated(seen: Seen) -> None:
    task = task_of("gpt")
    row = task.vocabulary.names_of(continued_row("gpt", tuple(task.vocabulary.read(seen.stop.settings["prompt"]))))
    assert 4 < row.index("=") < len(row) - 3
    assert seen.figures["goes_on"].data.shape == (1, len(task.vocabulary))


@of("later", 2)
def each_word_sees_the_words_up_to_itself(seen: Seen) -> None:
    panel = seen.panel("one_row", "weights")
    weights, at = np.asarray(panel.values), list(panel.row_labels).index("sleep")
    assert (weights[at, : at + 1] > 0).all()
    assert (weights[at, at + 1 :] == 0).all()
    assert at < len(weights) - 3


@of("later", 3)
def both_sides_are_read(seen: Seen) -> None:
    heads, chances = seen.of("fill", "heads", "next")
    at = 1 + int(seen.stop.settings["covered"])
    assert min(heads[:, 1:at].sum(), heads[:, at + 1 : -1].sum()) > MARGIN
    assert chances[0, 0] > 0.5


@of("later", 4)
def half_the_heads_take_half_the_cache(seen: Seen) -> None:
    _, all_heads, grouped, *_ = seen.figures["memory"].data.T
    np.testing.assert_allclose(all_heads, 2 * grouped)


@of("later", 5)
def rows_of_a_table_that_were_not_trained_are_as_they_began(seen: Seen) -> None:
    checkpoint = one_stack("gpt_learned")
    assert checkpoint.config is not None
    table, began = (
        dict(model.named_parameters())["tgt_embed.1.lut.weight"]
        for model in (checkpoint.model, fresh_one_stack(checkpoint.config))
    )
    used = checkpoint.config.task.longest - 1
    assert len(table) == 80 > used == 32
    assert torch.equal(table[used:], began[used:])
    assert (table[:8] - began[:8]).abs().amin(0).max() > 0
