"""The notes' mask in both conventions: their outer product of valid positions, and their print-out, to be checked."""

from functools import partial

import torch

from transformer_core import valid_pairs
from ui.chapters.masks.fill import NOTES_LENGTHS, NOTES_SCORES
from ui.chapters.shared.attention_values import numbered, pairs
from ui.figures import Board, Figure, Operand, Panel, runnable
from ui.figures.formula import I, J, Matrix
from ui.sections import AnyChapter, Choice, Section, predict, provenance, show

LONGEST, PRINTED_WIDTH = max(NOTES_LENGTHS), NOTES_SCORES.size(-1)
PRINTED_MASK = torch.tensor(  # as the notes print it, 1 = True = blocked
    [
        [[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]],
        [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
    ]
)


PRINTED = Choice("printed", ("valid", "mask", "scores"), right="mask")  # what is from another run


def printed_mask(chapter: AnyChapter) -> None:
    if not predict(chapter, PRINTED):
        return
    say, lengths = chapter.say, torch.tensor(NOTES_LENGTHS)
    belongs = 1 - valid_pairs(lengths, PRINTED_WIDTH)  # (2, 5, 5), 1 = blocked
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
            partial(pairs(chapter, numbered(PRINTED_WIDTH)), blocked=belongs[at].bool().numpy())(
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
for width in ({LONGEST}, {PRINTED_WIDTH}):
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


LENGTHS, WIDTH = (2, 4), 5  # the notes'


@Section("convention", cell="printed_cell convention_cell", text="text", asks=(PRINTED,))
def conventions(chapter: AnyChapter) -> None:
    say = chapter.say
    lengths = torch.tensor(LENGTHS)
    valid = valid_pairs(lengths, WIDTH).numpy()  # (2, 5, 5)
    square = partial(pairs(chapter, numbered(WIDTH)), scale="magnitude", print_values=True)
    panels: list[Panel] = []
    for at, length in enumerate(LENGTHS):
        v, attend = Matrix(f"v{at}"), Matrix(f"attend{at}")
        drawn = {"attend": (valid[at], v[I, 0] * v[J, 0]), "blocked": (1 - valid[at], 1 - attend[I, J])}
        for place, (name, (values, made)) in enumerate(drawn.items(), 2 * at):
            title = say(f"convention.{name}", length=length)
            panels.append(square(f"{name}{at}", values, title, symbol=name, place=(0, place), made=made))
    operands = [Operand(f"v{at}", valid[at].diagonal()[:, None], "v") for at in range(len(LENGTHS))]
    figure = Figure(
        "convention",
        Board(panels, operands, cell="convention_cell"),
        provenance("valid_pairs(lengths)", *valid.shape),
        numbers=valid.reshape(-1, WIDTH),
        code=[valid_pairs],
        program=runnable(valid_pairs, lengths, WIDTH, then=".flatten(0, 1)"),
    )
    show(chapter, figure)
    chapter.write("convention.who")
    printed_mask(chapter)
