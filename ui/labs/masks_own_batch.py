"""Masks lab: `create_masks` on the batch that the notes give it, which has no paddings to mask."""

import torch

from transformer_core import PAD, create_masks, query_row_mask, subsequent_mask
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board, write_sums
from ui.figures import arithmetic
from ui.figures.board import Cell, Panel
from ui.labs import masks_snippets
from ui.shell import Chapter

BATCH, LENGTH, VOCAB = 32, 100, 10_000  # the notes' training loop; the last token of a target is only an answer


def own_batch_lab(chapter: Chapter) -> None:
    say = chapter.say
    paddings = controls.slider(chapter, "own_paddings", step=10)
    src, tgt = batch(paddings)
    src_mask, tgt_mask = create_masks(src, tgt, PAD)
    notes = query_row_mask(tgt, PAD)  # (batch, 99, 99)
    chapter.write("own.shapes", src=tuple(src_mask.shape), tgt=tuple(tgt_mask.shape))
    shown = {"ours": tgt_mask[0, 0], "notes": notes[0], "src": src_mask[0, 0]}  # of the first sequence
    panels = [
        Panel(
            name,
            mask.numpy(),
            say(f"own.{name}"),
            row_axis=say("query_axis") if len(mask) > 1 else "",
            col_axis=say("key_axis"),
            scale="mask",
            place=(int(name == "src"), int(name == "notes")),
        )
        for name, mask in shown.items()
    ]
    pointed = board(chapter, "own", panels, cell="own_cell", alt=say("own.alt"))
    if pointed.chosen:
        write_sums(chapter, arithmetic_of(pointed.chosen, src[0].tolist(), tgt[0].tolist()))
    chapter.write(
        "own.counted",
        blocked=int((~src_mask).sum()),
        all=src_mask.numel(),
        differ=int((tgt_mask[:, 0] != notes).sum()),
        plain=int((tgt_mask[:, 0] == subsequent_mask(LENGTH - 1)).flatten(1).all(1).sum()),
        batch=BATCH,
    )
    caption(
        chapter,
        "own",
        provenance("create_masks(src, tgt)[1]", *tgt_mask.shape),
        numbers=shown["ours"].int().numpy(),
        code=[create_masks, query_row_mask],
        snippet=masks_snippets.own_batch(paddings),
    )


def batch(paddings: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Sources (32, 100) and decoder inputs (32, 99) as the notes draw them, their last `paddings` tokens blanked."""
    generator = torch.Generator().manual_seed(0)
    src, tgt = (torch.randint(1, VOCAB, (BATCH, LENGTH), generator=generator) for _ in range(2))
    tgt = tgt[:, :-1]
    for tokens in (src, tgt):
        tokens[:, tokens.size(1) - paddings :] = PAD
    return src, tgt


def arithmetic_of(cell: Cell, src: list[int], tgt: list[int]) -> str:
    panel, i, j = cell
    tokens, at = (src, j) if panel == "src" else (tgt, i if panel == "notes" else j)
    real, past = int(tokens[at] != PAD), int(j <= i)
    if panel == "src":
        return arithmetic.equation(f"mask<sub>{j}</sub>", f"[{tokens[at]} ≠ {PAD}]", result=real)
    sides = [f"[{tokens[at]} ≠ {PAD}] · [{j} ≤ {i}]", f"{real} · {past}"]
    return arithmetic.equation(f"mask<sub>{i},{j}</sub>", *sides, result=real * past)
