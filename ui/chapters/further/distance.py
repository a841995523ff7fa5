"""The law of rotary positions: moved together, a query and a key have the same score. With sinusoids it changes."""

import numpy as np
import torch
from torch import Tensor

from transformer_core.after_2017.rotary import rotated
from transformer_core.positions import position_steps
from transformer_core.tasks.vocabulary import START
from ui.figures import Board, Figure, Operand, Panel, number
from ui.figures.formula import CELL, I, Matrix
from ui.figures.paper import product
from ui.model.rows import row_kind, row_recorded, row_snippet, task_of
from ui.model.shipped import one_stack
from ui.sections import Chapter, Section, controls, provenance, show
from ui.settings.fields import Settings, whole

STARTS = (0, 7, 100, 1000)  # positions of the key
APART = 12  # the query stands up to so many positions behind it
LAW = """path, head = 'decoder.layers.0.self_attn', {head}
query, key = (trace[f'{{path}}.unrotated_{{name}}'][0, head, 2:3] for name in ('query', 'key'))
shown = torch.stack([
    (rotated(query.expand({apart}, -1), start) @ rotated(key, start).T)[:, 0] for start in {starts}
])
print(shown)
"""


class Distance(Settings):
    law_head: int = whole(0, 0, 15)


def turned(x: Tensor, starts: tuple[int, ...], count: int) -> Tensor:
    """One vector (1, d) at `count` positions from each start on, rotated: (starts · count, d)."""
    return torch.cat([rotated(x.expand(count, -1), start) for start in starts])


def added(x: Tensor, starts: tuple[int, ...], count: int) -> Tensor:
    """The same with the sinusoids of a position added."""
    code = position_steps(max(starts) + count, x.size(1)).code.to(x)
    return torch.cat([x + code[start : start + count] for start in starts])


@Section("distance", settings=Distance, cell="law_cell", text="text", why="why")
def distance(chapter: Chapter[Distance]) -> None:
    say, kind = chapter.say, row_kind("gpt_rotary", chapter.at_hand)
    above = chapter.figure_first()
    head = controls.number_of(chapter, "law_head", one_stack(kind).model.shape.h)
    row = (START, *task_of(kind).vocabulary.read("two white cats"))
    trace = row_recorded(kind, row)
    query, key = (trace[f"decoder.layers.0.self_attn.unrotated_{name}"][0, head, 2:3] for name in ("query", "key"))
    panels, operands = [], []
    for at, (name, place) in enumerate({"rotary": turned, "sinusoids": added}.items()):
        q, k = place(query, STARTS, APART), place(key, STARTS, 1)
        products = (q.unflatten(0, (len(STARTS), APART)) @ k.unsqueeze(2)).squeeze(2).numpy()
        panels.append(
            Panel(
                name, products, say(f"distance.{name}"), [str(start) for start in STARTS],
                [str(apart) for apart in range(APART)], say("distance.start"), say("distance.apart"), symbol="q·k",
                place=(at, 0), print_values=True, digits=2,
                made=product(Matrix(f"{name}.q"), Matrix(f"{name}.k"), q.size(1), CELL, I),
            )
        )  # fmt: skip
        operands += [Operand(f"{name}.q", q.numpy(), "q", "query"), Operand(f"{name}.k", k.numpy(), "k", "key")]
    figure = Figure(
        "distance",
        Board(panels, operands, result="rotary"),
        provenance("rotated(q, m) · rotated(k, n)", len(STARTS), APART),
        code=[rotated],
        program=(
            f"{row_snippet(kind, row)}from transformer_core.after_2017.rotary import rotated\n\n"
            f"{LAW.format(head=head, apart=APART, starts=STARTS)}"
        ),
    )
    show(above, figure)
    gaps = [number(float(np.ptp(panel.values, 0).max()), 2) for panel in panels]
    chapter.write("distance.said", rotary=gaps[0], sinusoids=gaps[1], last=STARTS[-1])
