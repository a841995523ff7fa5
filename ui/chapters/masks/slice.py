"""A mask that is too large, cut to size as in the notes or refused; and `create_masks` on a batch without paddings."""

import torch
from torch import Tensor

from transformer_core import PAD, attention, create_masks, query_row_mask, subsequent_mask
from transformer_core.attention import BLOCKED
from transformer_core.masks import sliced
from transformer_core.softmax import masked_softmax
from ui.chapters.masks.scores import LOOK_AHEAD, shares, weighted
from ui.chapters.shared.attention_values import numbered, pairs
from ui.figures import Board, Figure, Operand, Panel
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


BATCH, LENGTH, VOCAB = 32, 100, 10_000  # the notes' training loop; the last token of a target is only an answer


class OwnBatch(Settings):
    own_paddings: int = whole(0, 0, 30)


@Section("own", settings=OwnBatch, cell="own_cell", text="text", why="why")
def own_batch(chapter: Chapter[OwnBatch]) -> None:
    say = chapter.say
    paddings = controls.slider(chapter, "own_paddings", step=10)
    src, tgt = batch(paddings)
    src_mask, tgt_mask = create_masks(src, tgt, PAD)
    notes = query_row_mask(tgt, PAD)  # (batch, 99, 99)
    chapter.write("own.shapes", src=tuple(src_mask.shape), tgt=tuple(tgt_mask.shape))
    token = Matrix("tgt_tokens")
    shown = {  # of the first sequence, with what it is made of
        "ours": (tgt_mask[0, 0], token[0, J].differs_from(PAD) * LOOK_AHEAD),
        "notes": (notes[0], token[0, I].differs_from(PAD) * LOOK_AHEAD),
        "src": (src_mask[0, 0], Matrix("src_tokens")[0, J].differs_from(PAD)),
    }
    panels = [
        Panel(
            name,
            mask.int().numpy(),
            say(f"own.{name}"),
            row_axis=say("query_axis") if len(mask) > 1 else "",
            col_axis=say("key_axis"),
            scale="mask",
            symbol="mask",
            place=(int(name == "src"), int(name == "notes")),
            made=made,
        )
        for name, (mask, made) in shown.items()
    ]
    operands = [Operand("src_tokens", src[:1].numpy(), "src"), Operand("tgt_tokens", tgt[:1].numpy(), "tgt")]
    figure = Figure(
        "own",
        Board(panels, operands, result="ours"),
        provenance("create_masks(src, tgt)[1]", *tgt_mask.shape),
        code=[create_masks, query_row_mask],
        program=batch_program(paddings),
    )
    show(chapter, figure)
    chapter.write(
        "own.counted",
        blocked=int((~src_mask).sum()),
        all=src_mask.numel(),
        differ=int((tgt_mask[:, 0] != notes).sum()),
        plain=int((tgt_mask[:, 0] == subsequent_mask(LENGTH - 1)).flatten(1).all(1).sum()),
        batch=BATCH,
    )


def batch(paddings: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Sources (32, 100) and decoder inputs (32, 99) as the notes draw them, their last `paddings` tokens blanked."""
    generator = torch.Generator().manual_seed(0)
    src, tgt = (torch.randint(1, VOCAB, (BATCH, LENGTH), generator=generator) for _ in range(2))
    tgt = tgt[:, :-1]
    for tokens in (src, tgt):
        tokens[:, tokens.size(1) - paddings :] = PAD
    return src, tgt


def batch_program(paddings: int) -> str:
    return f"""import torch

generator = torch.Generator().manual_seed(0)
src, tgt = (torch.randint(1, {VOCAB}, ({BATCH}, {LENGTH}), generator=generator) for _ in range(2))
tgt = tgt[:, :-1]
for tokens in (src, tgt):
    tokens[:, tokens.size(1) - {paddings} :] = 0
look_ahead = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool).tril()
src_mask = (src != 0)[:, None, None]  # (batch, 1, 1, source)
tgt_mask = (tgt != 0)[:, None, None] & look_ahead  # (batch, 1, target, target)
print(src_mask.shape, tgt_mask.shape)
shown = tgt_mask[0, 0].int()
print(shown)"""
