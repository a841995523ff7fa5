"""The notes' print-out of their encoder mask, to be checked: one of its parts is from another run."""

from functools import partial

import torch

from transformer_core import valid_pairs
from ui.chapters.masks.fill import NOTES_LENGTHS, NOTES_SCORES
from ui.chapters.shared.attention_values import numbered, pairs
from ui.figures import Board, Figure, Operand, Panel
from ui.figures.formula import I, J, Matrix
from ui.sections import Chapter, Choice, predict, provenance, show
from ui.settings.fields import CellSetting, Settings, cell

LONGEST, WIDTH = max(NOTES_LENGTHS), NOTES_SCORES.size(-1)
PRINTED_MASK = torch.tensor(  # as the notes print it, 1 = True = blocked
    [
        [[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]],
        [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    ]
)


PRINTED = Choice("printed", ("valid", "mask", "scores"), right="mask")  # what is from another run


class OfPrinted(Settings):
    printed_cell: CellSetting = cell()


def printed_mask(chapter: Chapter[OfPrinted]) -> None:
    if not predict(chapter, PRINTED):
        return
    say, lengths = chapter.say, torch.tensor(NOTES_LENGTHS)
    belongs = 1 - valid_pairs(lengths, WIDTH)  # (2, 5, 5), 1 = blocked
    panels: list[Panel] = []
    for at, length in enumerate(NOTES_LENGTHS):
        v = Matrix(f"v{at}")
        panels += [
            pairs(chapter, numbered(LONGEST))(
                f"printed{at}",
                PRINTED_MASK[at].numpy(),
                say("printed.mask", length=length),
                scale="magnitude",
                print_values=True,
                symbol="blocked",
                place=(0, 2 * at),
                made=1 - v[I, 0] * v[J, 0],
            ),
            partial(pairs(chapter, numbered(WIDTH)), blocked=belongs[at].bool().numpy())(
                f"scores{at}",
                NOTES_SCORES[at].numpy(),
                say("printed.scores", length=length),
                symbol="s",
                place=(0, 2 * at + 1),
            ),
        ]
    real = (torch.arange(LONGEST) < lengths[:, None]).float()
    figure = Figure(
        "printed",
        Board(panels, [Operand(f"v{at}", row[:, None].numpy(), "v") for at, row in enumerate(real)], "printed_cell"),
        provenance("valid_pairs(lengths)", *belongs.shape),
        numbers=belongs.flatten(0, 1).numpy(),
        code=[valid_pairs],
        program=f"""import torch

lengths = torch.tensor({list(NOTES_LENGTHS)})
for width in ({LONGEST}, {WIDTH}):
    valid = (torch.arange(width) < lengths.unsqueeze(1)).float().unsqueeze(2)  # (batch, width, 1)
    blocked = 1 - torch.bmm(valid, valid.transpose(1, 2))
    print(blocked.bool())  # the printed mask, and then the one that fits the printed scores
shown = blocked.flatten(0, 1)""",
    )
    show(chapter, figure)
    chapter.write("printed.text", refusal=refusal())


def refusal() -> str:
    """What PyTorch says where the printed mask is to be laid over the printed scores."""
    try:
        NOTES_SCORES.masked_fill(PRINTED_MASK.bool(), -torch.inf)
    except RuntimeError as problem:
        return str(problem)
    raise AssertionError("a mask of 4 × 4 was laid over scores of 5 × 5")
