"""`create_masks` on the batch that the notes give it, which has no paddings to mask."""

import torch

from transformer_core import PAD, create_masks, query_row_mask, subsequent_mask
from ui.chapters.masks.scores import LOOK_AHEAD
from ui.figures import Board, Figure, Operand, Panel
from ui.figures.formula import I, J, Matrix
from ui.sections import Chapter, Section, controls, provenance, show
from ui.settings.fields import Settings, whole

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
        program=program(paddings),
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


def program(paddings: int) -> str:
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
