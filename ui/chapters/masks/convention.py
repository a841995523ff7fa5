"""The notes' outer product of valid positions, and its inverse: the same mask in the two conventions."""

from functools import partial

import torch

from transformer_core import valid_pairs
from ui.chapters.masks.printed import PRINTED, OfPrinted, printed_mask
from ui.chapters.shared.attention_values import numbered, pairs
from ui.figures import Board, Figure, Operand, Panel, runnable
from ui.figures.formula import I, J, Matrix
from ui.sections import Chapter, Section, provenance, show
from ui.settings.fields import CellSetting, cell

LENGTHS, WIDTH = (2, 4), 5  # the notes'


class Convention(OfPrinted):
    convention_cell: CellSetting = cell()


@Section("convention", settings=Convention, text="text", asks=(PRINTED,))
def conventions(chapter: Chapter[Convention]) -> None:
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
