"""A mask that is too large, cut to size without a word as in the notes, or refused as here."""

import torch
from torch import Tensor

from transformer_core import attention, subsequent_mask
from transformer_core.attention import BLOCKED
from transformer_core.masks import sliced
from transformer_core.softmax import masked_softmax
from ui.chapters.masks.scores import LOOK_AHEAD, shares, weighted
from ui.chapters.shared.attention_values import numbered, pairs
from ui.figures import Board, Figure, Panel
from ui.figures.formula import I, J, K, Matrix
from ui.sections import Chapter, Section, controls, provenance, show
from ui.settings.fields import Settings, whole


class Slice(Settings):
    slice_size: int = whole(6, 2, 12)
    slice_queries: int = whole(3, 1, 12)


@Section("slice", settings=Slice, cell="slice_cell", text="text", why="why")
def too_large(chapter: Chapter[Slice]) -> None:
    """The last queries of a sequence with the mask of all of them."""
    size, queries = controls.side_by_side(chapter, slice_size={}, slice_queries={"high": chapter.settings.slice_size})
    mask = subsequent_mask(size)[0]  # (size, size)
    figure = Figure(
        "slice",
        Board(panels(chapter, mask, queries), result="cut_weights"),
        provenance(f"sliced(subsequent_mask({size}), {queries}, {size})", queries, size),
        code=[sliced, attention],
        program=program(size, queries),
    )
    show(chapter, figure)
    chapter.write("slice.ours", answer=answer(mask, queries))


def panels(chapter: Chapter[Slice], mask: Tensor, queries: int) -> list[Panel]:
    say, size = chapter.say, len(mask)
    first, keys = size - queries, numbered(size)
    rows = pairs(chapter, keys, keys[first:])
    drawn = [pairs(chapter, keys)("given", mask.int().numpy(), say("slice.given"), scale="mask", made=LOOK_AHEAD)]
    masks = {"cut": (sliced(mask, queries, size), I), "own": (mask[first:], I.moved(first))}
    for at, (name, (part, row)) in enumerate(masks.items(), 1):
        weights = masked_softmax(torch.zeros(queries, size), part, BLOCKED).weights
        made, title = Matrix("given")[row, J], say(f"slice.{name}")
        drawn.append(rows(name, part.int().numpy(), title, scale="mask", place=(0, at), made=made))
        shared = shares(part, Matrix(name)[I, J], Matrix(name)[I, K])
        drawn.append(weighted(rows, f"{name}_weights", weights, say(f"slice.{name}_weights"), (1, at), shared))
    return drawn


def answer(mask: Tensor, queries: int) -> str:
    x = torch.zeros(len(mask), 1)
    try:
        output, _ = attention(x[len(mask) - queries :], x, x, mask)
    except ValueError as problem:
        return f"ValueError: {problem}"
    return f"shape {tuple(output.shape)}"


def program(size: int, queries: int) -> str:
    return f"""import torch

mask = torch.ones({size}, {size}, dtype=torch.bool).tril()
scores = torch.zeros({queries}, {size})  # of the last queries
own = scores.masked_fill(~mask[-{queries}:], -1e9).softmax(-1)
shown = scores.masked_fill(~mask[:{queries}, :{size}], -1e9).softmax(-1)  # cut as in the notes
print(own)
print(shown)"""
