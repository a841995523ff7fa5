"""`padding_idx`: a row that is zero and that no gradient ever moves."""

from functools import partial

import torch

from transformer_core import Embeddings
from ui.chapters.tokens.examples import seeded_embeddings
from ui.chapters.tokens.questions import LEARNED
from ui.figures.board import Panel
from ui.figures.figure import Board, Figure
from ui.figures.formula import I, J, K, Matrix, Number, by_row, root, total
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.page.predict import predict
from ui.showing.caption import provenance
from ui.showing.show import show

D_MODEL, VOCAB, SEED = 3, 10, 0
TOKENS = (0, 2, 0, 5)  # the notes' example


def zero_row(chapter: Chapter) -> None:
    say = chapter.say
    if not predict(chapter, LEARNED):
        return
    padding_idx = 0 if controls.toggle(chapter, "zero_row") else None
    embeddings = seeded_embeddings(D_MODEL, VOCAB, SEED, padding_idx)
    x = embeddings(torch.tensor([TOKENS]))[0]
    (x.square().sum() / 2).backward()
    gradient = embeddings.lut.weight.grad
    assert gradient is not None
    keyword = f", padding_idx={padding_idx}" if padding_idx is not None else ""
    figure = Figure(
        "zero",
        Board(_panels(chapter, embeddings.lut.weight.detach(), x.detach(), gradient, padding_idx), cell="zero_cell"),
        say("zero.alt"),
        provenance(f"Embeddings({D_MODEL}, {VOCAB}{keyword}).lut.weight.grad", *gradient.shape) + f" · seed {SEED}",
        code=(Embeddings,),
        program=(
            f"import torch\n\ntorch.manual_seed({SEED})\ntable = torch.nn.Embedding({VOCAB}, {D_MODEL}{keyword})\n"
            f"x = table(torch.tensor({list(TOKENS)})) * {D_MODEL} ** 0.5\n(x.square().sum() / 2).backward()\n"
            "shown = table.weight.grad\nprint(shown)\n"
        ),
    )
    show(chapter, figure)
    own = chapter.at_hand.model.get_submodule("src_embed.0.lut").get_parameter("weight")[0]
    chapter.write("zero.text", own=number(own.detach().abs().mean().item(), 2))
    chapter.write("zero.notes")


def _panels(
    chapter: Chapter, table: torch.Tensor, x: torch.Tensor, gradient: torch.Tensor, padding_idx: int | None
) -> list[Panel]:
    """A vector is a row times √d_model; a row's gradient sums, over the positions that look it up, √d_model · x."""
    say, factor = chapter.say, root(Number(D_MODEL, "d_model"))
    rows, dims = [str(token) for token in range(VOCAB)], [str(dim) for dim in range(D_MODEL)]
    users = [[at for at, token in enumerate(TOKENS) if token == row != padding_idx] for row in range(VOCAB)]
    panel = partial(Panel, col_labels=dims, digits=4)
    of_tokens = partial(panel, row_labels=rows, row_axis=say("token_axis"))
    return [
        of_tokens("table", table.numpy(), say("table"), meaning="encoder", symbol="E"),
        panel(
            "x",
            x.numpy(),
            title=say("vectors_scaled", d_model=D_MODEL),
            row_labels=[str(token) for token in TOKENS],
            row_axis=say("sequence_row_axis"),
            padded_rows=[at for at, token in enumerate(TOKENS) if token == 0],
            meaning="encoder",
            made=factor * Matrix("table")[I.of(TOKENS, "id"), J],
            place=(0, 1),
        ),
        of_tokens(
            "gradient",
            gradient.numpy(),
            title=say("zero.gradient"),
            symbol="∂L/∂E",
            made=by_row(*(total(K, some, factor * Matrix("x")[K, J]) if some else Number(0) for some in users)),
            place=(0, 2),
        ),
    ]
