"""The lookup: token ids, the table, and its vectors; and how large these are beside the position code."""

import math
from dataclasses import replace
from functools import cache, partial

import numpy as np
import torch
from torch import Tensor, nn

from transformer_core import Embeddings, position_code, record
from transformer_core.random_seed import Seeded
from transformer_core.tasks.padding import pad_sequences
from ui import theme
from ui.chapters.shared.attention_values import numbered
from ui.chapters.shared.model_program import model_snippet
from ui.chapters.tokens.examples import SHOWN_DIMENSIONS, Example, OfExamples, five, lengths, typed
from ui.figures import Board, Figure, Marks, Panel, Style, XAxis, YAxis, number, plotted, runnable
from ui.figures.formula import I, J, Matrix
from ui.figures.paper import embedded
from ui.sections import Chapter, Choice, Frame, Section, controls, kept, provenance, show
from ui.settings.fields import Settings, choice, flag

D_MODELS = tuple(2**power for power in range(1, 10))
VOCAB, LENGTH, SEED = 11, 10, 0

SMALL = Choice("small", ("larger", "same", "tenth"), right="tenth")


class SizesSettings(Settings):
    init: str = choice("xavier", "xavier", "normal")


@Section("sizes", settings=SizesSettings, text="lead", first=SMALL)
def sizes(chapter: Chapter[SizesSettings]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    init = controls.choose(chapter, "init")
    found = mean_sizes(init).numpy()
    table = at_hand.load().get_submodule("src_embed.0.lut").get_parameter("weight")
    size = at_hand.config.d_model
    mine = table.detach().abs().mean().item() * math.sqrt(size)
    teal, text = theme.css("encoder"), theme.css("text")
    figure = plotted(
        "sizes",
        found,
        ["d_model", *(say(f"sizes.{line}") for line in ("raw", "scaled", "code"))],
        provenance(f"Embeddings(d_model, {VOCAB}).lut.weight, {init}", len(D_MODELS))
        + f" · seed {SEED}; {at_hand.provenance('src_embed.0.lut.weight', *table.shape)}",
        x_axis=XAxis(log=True),
        y_axis=YAxis(say("sizes.axis"), log=True, range=(0.03, 30.0)),
        marks=Marks(points={say("sizes.at_hand"): (size, mine)}),
        style=Style(colors=[teal, teal, text], dashed=[say("sizes.raw")], markers=True),
        height=320,
        code=(mean_sizes, Embeddings, position_code),
        program=(
            f"{runnable(mean_sizes, init)}\n\n{model_snippet(at_hand)}\n"
            f"print(model.src_embed[0].lut.weight.abs().mean() * {size} ** 0.5)  # of the model at hand\n"
        ),
    )
    show(chapter, figure)
    raw, scaled, code = (number(value, 2) for value in found[-1, 1:])
    chapter.write(f"sizes.text_{init}", raw=raw, scaled=scaled, code=code, mine=number(mine, 2))
    chapter.write("sizes.text", mine=number(mine, 2), d_model=size)


@cache
def mean_sizes(init: str) -> Tensor:
    """For each d_model the mean |value| of a table before training, as `nn.Embedding` starts it or refilled as
    `make_model` does, the same times √d_model, and that of the position code: (n, 4), d_model first."""
    rows = []
    for d_model in D_MODELS:
        with Seeded(SEED):
            table = Embeddings(d_model, VOCAB).lut.weight
            if init == "xavier":
                nn.init.xavier_uniform_(table)
        raw = table.abs().mean().item()
        rows.append([d_model, raw, raw * d_model**0.5, position_code(LENGTH, d_model).abs().mean().item()])
    return torch.tensor(rows)


EXAMPLES = {"typed": typed, "lengths": lengths, "five": five}
MEANING = {"src": "encoder", "tgt": "decoder"}


class Lookup(OfExamples):
    factor: bool = flag(True)


@Section("lookup", settings=Lookup, cell="cell", reads=(Frame,), types=("src",), look="lead", why="text")
def lookup(chapter: Chapter[Lookup]) -> None:
    choice, factor = controls.side_by_side(chapter, [4, 1], example={}, factor={})
    above = chapter.figure_first()
    example = EXAMPLES[choice](chapter)
    if example is None:
        return
    ids = tuple((side, tuple(map(tuple, batch.tolist()))) for side, batch in example.ids.items())
    about = ids, example.side, example.row, example.first, example.table.made_by, factor
    show(above, kept(chapter, partial(_figure, chapter, example, factor), *about))
    shape = chapter.at_hand.config.shape
    if shape.tied:
        now, apart = (f"{each.parameters:,}" for each in (shape, replace(shape, tied=False)))
        chapter.write("lookup.tied", vocab=shape.src_vocab, d_model=shape.d_model, now=now, apart=apart)


def _figure(chapter: Chapter[Lookup], example: Example, factor: bool) -> Figure:
    with torch.no_grad(), record(example.table.embeddings) as trace:
        example.table.embeddings(example.sequence.unsqueeze(0))
    x = trace["output" if factor else "rows"][0].numpy()
    scaled = f" * {x.shape[1]} ** 0.5" if factor else ""
    return Figure(
        "lookup",
        Board(_panels(chapter, example, x, factor)),
        example.table.origin(example.table.name, *x.shape),
        code=(pad_sequences, Embeddings),
        program=(
            f"{example.table.made_by}ids = torch.tensor({example.ids[example.side].tolist()})\n"
            f"shown = table(ids)[{example.row}].detach(){scaled}\nprint(shown)\n"
        ),
        alt=chapter.say("lookup.alt", length=len(x), d_model=x.shape[1]),
    )


def _panels(chapter: Chapter[Lookup], example: Example, x: np.ndarray, factor: bool) -> list[Panel]:
    """`x` (width, d_model) are the vectors of the looked-up row."""
    say = chapter.say
    tokens = example.sequence.tolist()
    table = example.table.embeddings.lut.weight.detach().numpy()
    d_model = table.shape[1]
    window = slice(None), slice(example.first, example.first + SHOWN_DIMENSIONS)
    names = numbered(d_model)[window[1]]
    largest = float(np.abs(table).max())
    words = example.names
    entry = Matrix("table")[I.of(tokens, "id", held=(example.side, example.row)), J]
    ids = [
        Panel(
            side,
            batch.numpy(),
            title=say(f"ids.{side}"),
            row_labels=numbered(len(batch)) if len(batch) > 1 else (),
            col_labels=words or numbered(batch.size(1)),
            col_axis=say("sequence_row_axis" if words else "position_axis"),
            row_axis=say("sequence_axis") if len(batch) > 1 else "",
            scale="plain",
            print_values=True,
            padded_cols=_padding(batch[0].tolist()) if len(batch) == 1 else (),
            meaning=MEANING[side],
        )
        for side, batch in example.ids.items()
    ]
    rows = Panel(
        "table",
        table,
        title=say("table"),
        row_labels=example.rows,
        col_labels=names,
        row_axis=say("token_axis"),
        col_axis=say("dimension_axis"),
        high=largest,
        digits=4,
        meaning=MEANING[example.side],
        symbol="E",
        window=window,
        place=(1, 0),
    )
    vectors = Panel(
        "vectors",
        x,
        title=say("vectors_scaled" if factor else "vectors", d_model=d_model),
        row_labels=example.labels(tokens),
        col_labels=names,
        row_axis=say("sequence_row_axis"),
        col_axis=say("dimension_axis"),
        high=largest * math.sqrt(d_model),  # the same ends with and without the factor
        padded_rows=_padding(tokens),
        digits=4,
        meaning=MEANING[example.side],
        symbol="x",
        window=window,
        made=embedded(entry, d_model) if factor else entry,
        place=(1, 1),
    )
    return [*ids, rows, vectors]


def _padding(tokens: list[int]) -> list[int]:
    return [at for at, token in enumerate(tokens) if token == 0]
