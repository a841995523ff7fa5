"""How the notes draw masks: the look-ahead mask in their colours, and three diagonals of np.triu."""

import numpy as np
import torch

from transformer_core import subsequent_mask
from transformer_core.attention import BLOCKED
from transformer_core.softmax import masked_softmax
from ui.chapters.masks.scores import LOOK_AHEAD, shares, weighted, written
from ui.chapters.shared.attention_values import numbered, pairs
from ui.figures import Board, Figure, Operand, Panel
from ui.figures.formula import I, J, K, Matrix, Number
from ui.sections import AnyChapter, Chapter, Section, controls, provenance, show, through
from ui.settings.fields import Settings, choice

READ = 5  # positions of the mask


class ReadingSettings(Settings):
    read_as: str = choice("code", "code", "colors", "picture")


@Section("reading", settings=ReadingSettings, cell="reading_cell", text="text", step=through("read_as"))
def read_mask(chapter: Chapter[ReadingSettings]) -> None:
    say = chapter.say
    reading = controls.choose(chapter, "read_as")
    values, ones = subsequent_mask(READ)[0], Matrix("ones")
    allowed = {"code": values, "colors": ~values, "picture": ~values.T}[reading]  # (query, key)
    weights = masked_softmax(torch.zeros(READ, READ), allowed, BLOCKED).weights
    amounts = {
        "code": (ones[I, J], ones[I, K]),
        "colors": (1 - ones[I, J], 1 - ones[I, K]),
        "picture": (1 - ones[J, I], 1 - ones[K, I]),
    }[reading]
    square = pairs(chapter, numbered(READ))
    theirs = {"row_axis": say("reading.looked_at_axis"), "col_axis": say("reading.target_axis")}
    axes = theirs if reading == "picture" else {}
    panels = [
        square(
            "ones",
            values.int().numpy(),
            say("ones"),
            scale="magnitude",
            symbol="mask",
            print_values=True,
            made=LOOK_AHEAD,
            **axes,
        ),
        weighted(square, "weights", weights, say("equal_weights"), (0, 1), shares(allowed, *amounts)),
    ]
    figure = Figure(
        "reading",
        Board(panels),
        provenance(f"masked_softmax(zeros, subsequent_mask({READ}))", READ, READ),
        code=[subsequent_mask, masked_softmax],
        program=program(reading),
    )
    show(chapter, figure)
    chapter.write(f"reading_outcome.{reading}")


def program(reading: str) -> str:
    allowed = {"code": "mask == 1", "colors": "mask == 0", "picture": "mask.T == 0"}[reading]
    return f"""import torch

mask = torch.ones({READ}, {READ}).tril()
may_attend = {allowed}
shown = torch.zeros({READ}, {READ}).masked_fill(~may_attend, -1e9).softmax(-1)
print(shown)"""


EXAMPLE = np.arange(1, 13).reshape(4, 3)
DIAGONALS = (-1, 0, 1)


@Section("triu", cell="triu_cell", text="text")
def triangles(chapter: AnyChapter) -> None:
    say = chapter.say
    kept = [np.triu(EXAMPLE, k) for k in DIAGONALS]
    panels = [
        Panel(
            f"k{k}",
            values,
            f"np.triu(x, k={k})",
            numbered(4),
            numbered(3),
            say("triu.row_axis"),
            say("triu.column_axis"),
            scale="magnitude",
            high=12.0,
            symbol="triu",
            print_values=True,
            made=Number(k).at_most(J - I) * Matrix("x")[I, J],
        )
        for k, values in zip(DIAGONALS, kept)
    ]
    figure = Figure(
        "triu",
        Board(panels, [Operand("x", EXAMPLE)]),
        provenance("np.triu(x, k)", *EXAMPLE.shape),
        numbers=np.vstack(kept),
        code=[subsequent_mask],
        program=f"""from dataclasses import dataclass

import numpy as np

x = np.array({written(EXAMPLE.tolist())})
shown = np.vstack([np.triu(x, k) for k in {DIAGONALS}])
print(shown)""",
    )
    show(chapter, figure)
