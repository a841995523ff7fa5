"""Three diagonals of np.triu on the notes' example."""

import numpy as np

from transformer_core import subsequent_mask
from ui.chapters.masks.scores import written
from ui.chapters.shared.attention_values import numbered
from ui.figures import Board, Figure, Operand, Panel
from ui.figures.formula import I, J, Matrix, Number
from ui.sections import AnyChapter, Section, provenance, show

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
            place=(0, at),
            symbol="triu",
            print_values=True,
            made=Number(k).at_most(J - I) * Matrix("x")[I, J],
        )
        for at, (k, values) in enumerate(zip(DIAGONALS, kept))
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
