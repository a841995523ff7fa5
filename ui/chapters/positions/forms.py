"""Other forms of the same code: two ways to compute it, two orders of columns, a frozen `nn.Embedding`."""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from transformer_core.positions import concatenated, direct_frequencies, frequencies, position_code
from ui.chapters.positions.values import EVEN, code_panel, make_even
from ui.figures import Board, Figure, Style, XAxis, YAxis, curves, number, runnable
from ui.figures.formula import I, J, Matrix, by_column
from ui.sections import AnyChapter, Chapter, Section, controls, provenance, show
from ui.settings.fields import Settings, whole

LAYOUT_LENGTH, LAYOUT_D = 24, 16
WAYS = ("exp_32", "direct_32", "exp_64")


class Forms(Settings):
    form_d: int = whole(512, 0, 512)
    form_at: int = whole(4999, 1, 4999)  # the last position of the notes' code


def errors_of_sines(d_model: int, pos: int) -> Tensor:
    """How far each pair's sine at a position is from the truth, the power in float64, in WAYS: (d_model / 2, 3)."""
    truth = (pos * direct_frequencies(d_model, dtype=torch.float64)).sin()
    ways = frequencies(d_model), direct_frequencies(d_model), frequencies(d_model, dtype=torch.float64)
    return torch.stack([((pos * omega).sin().double() - truth).abs() for omega in ways], dim=1)


def all_sines_first(length: int, d_model: int) -> Tensor:
    return concatenated(position_code(length, d_model))


@Section("forms", settings=Forms, text="lead")
def forms(chapter: Chapter[Forms]) -> None:
    say = chapter.say
    make_even(chapter, "form_d")
    d_model, pos = controls.side_by_side(chapter, form_d=EVEN, form_at={})
    errors = errors_of_sines(d_model, pos).numpy()
    names = [say(f"forms.{way}") for way in WAYS]
    logs = np.log10(errors, where=errors > 0, out=np.full_like(errors, np.nan))
    picture = curves(
        np.arange(d_model // 2),
        dict(zip(names, logs.T)),
        x_axis=XAxis(say("pair_axis")),
        y_axis=YAxis(say("forms.axis", pos=pos), range=(-18, -2)),
        style=Style(markers=True),
        height=300,
    )
    figure = Figure(
        "forms",
        picture,
        provenance(f"sin({pos} · frequencies({d_model}))", d_model // 2),
        numbers=errors,
        columns=names,
        code=(errors_of_sines, frequencies, direct_frequencies),
        program=runnable(errors_of_sines, d_model, pos),
        alt=say("forms.alt", pos=pos),
    )
    show(chapter, figure)
    largest = (number(float(error.max()), 2) for error in errors.T)
    chapter.write("forms.text", pos=pos, **dict(zip(WAYS, largest)))


@Section("layouts", cell="layout_cell", text="lead")
def layouts(chapter: AnyChapter) -> None:
    say = chapter.say
    code = position_code(LAYOUT_LENGTH, LAYOUT_D)
    other = all_sines_first(LAYOUT_LENGTH, LAYOUT_D)
    origin = concatenated(torch.arange(LAYOUT_D).unsqueeze(0))[0].tolist()  # where each column came from
    names = [("cos " if dim % 2 else "sin ") + str(dim // 2) for dim in range(LAYOUT_D)]
    interleaved = replace(
        code_panel(chapter, "interleaved", code.numpy(), say("layouts.interleaved")),
        col_labels=names,
        col_axis=say("layouts.column_axis"),
    )
    moved = replace(
        interleaved,
        key="concatenated",
        values=other.numpy(),
        title=say("layouts.concatenated"),
        col_labels=[names[dim] for dim in origin],
        symbol="c",
        made=by_column(*(Matrix("interleaved")[I, dim] for dim in origin)),
    )
    figure = Figure(
        "layouts",
        Board([interleaved, moved]),
        provenance(f"concatenated(position_code({LAYOUT_LENGTH}, {LAYOUT_D}))", *other.shape),
        columns=[str(dim) for dim in origin],
        code=(concatenated,),
        program=runnable(all_sines_first, LAYOUT_LENGTH, LAYOUT_D),
    )
    show(chapter, figure)
    gap = (code @ code.T - other @ other.T).abs().max().item()
    chapter.write("layouts.text", gap=number(gap, 2))


LENGTH, D_MODEL = 5, 16  # the notes'


@Section("frozen", cell="frozen_cell", text="lead")
def frozen(chapter: AnyChapter) -> None:
    say, embedding = chapter.say, frozen_embedding(LENGTH, D_MODEL)
    rows, ours = embedding(torch.arange(LENGTH)), position_code(LENGTH, D_MODEL)
    theirs = replace(code_panel(chapter, "rows", rows.numpy(), say("frozen.rows")), symbol="E")
    panels = [
        theirs,
        replace(code_panel(chapter, "ours", ours.numpy(), say("frozen.ours"))),
        replace(
            theirs,
            key="gap",
            values=(rows - ours).numpy(),
            title=say("frozen.gap"),
            symbol="Δ",
            made=Matrix("rows")[I, J] - Matrix("ours")[I, J],
        ),
    ]
    figure = Figure(
        "frozen",
        Board(panels, result="rows"),
        provenance(f"nn.Embedding({LENGTH}, {D_MODEL})(torch.arange({LENGTH}))", *rows.shape),
        code=(frozen_embedding, position_code),
        program=runnable(frozen_embedding, LENGTH, D_MODEL, then=f"(torch.arange({LENGTH}))"),
    )
    show(chapter, figure)
    learned = sum(weight.numel() for weight in embedding.parameters() if weight.requires_grad)
    largest = number((rows - ours).abs().max().item(), 2)
    chapter.write("frozen.text", gap=largest, learned=learned, beyond=LENGTH, refusal=refusal(embedding))


def frozen_embedding(length: int, d_model: int) -> nn.Embedding:
    """An `nn.Embedding` whose row pos is PE(pos), through the power, and which no training changes."""
    angles = torch.arange(length).unsqueeze(1) * direct_frequencies(d_model)
    code: Tensor = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    return nn.Embedding.from_pretrained(code, freeze=True)


def refusal(embedding: nn.Embedding) -> str:
    """What PyTorch says to the position after the last."""
    try:
        embedding(torch.tensor([embedding.num_embeddings]))
    except IndexError as problem:
        return str(problem)
    raise AssertionError("a position past the table was looked up")
