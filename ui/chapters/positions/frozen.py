"""The position code as the notes' fifth document keeps it: rows of a frozen `nn.Embedding`, the same as ours."""

from dataclasses import replace

import torch
from torch import Tensor, nn

from transformer_core.positions import direct_frequencies, position_code
from ui.chapters.positions.values import code_panel
from ui.figures import Board, Figure, number, runnable
from ui.figures.formula import I, J, Matrix
from ui.sections import AnyChapter, Section, provenance, show

LENGTH, D_MODEL = 5, 16  # the notes'


@Section("frozen", cell="frozen_cell", text="lead")
def frozen(chapter: AnyChapter) -> None:
    say, embedding = chapter.say, frozen_embedding(LENGTH, D_MODEL)
    rows, ours = embedding(torch.arange(LENGTH)), position_code(LENGTH, D_MODEL)
    theirs = replace(code_panel(chapter, "rows", rows.numpy(), say("frozen.rows")), symbol="E")
    panels = [
        theirs,
        replace(code_panel(chapter, "ours", ours.numpy(), say("frozen.ours")), place=(0, 1)),
        replace(
            theirs,
            key="gap",
            values=(rows - ours).numpy(),
            title=say("frozen.gap"),
            symbol="Δ",
            made=Matrix("rows")[I, J] - Matrix("ours")[I, J],
            place=(0, 2),
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
