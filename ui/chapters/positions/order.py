"""An encoder without positions cannot tell the order of its tokens; with them it can. Both measured."""

from functools import partial

import streamlit as st
import torch
from torch import Tensor

from transformer_core import EncoderDecoder, Trace
from transformer_core.positions import order_gap
from ui.chapters.shared.model_program import model_snippet
from ui.figures import Board, Figure, Operand, Panel, number
from ui.figures.formula import I, J, Matrix
from ui.model import ModelAtHand, measured
from ui.sections import Chapter, Choice, Frame, Section, controls, sequence, show
from ui.settings.fields import Settings, whole

SHOWN = 24  # dimensions on screen

WHAT_CHANGES = Choice("order", ("moved", "same", "changed"), right="moved")


class Order(Settings):
    order_seed: int = whole(0, 0, 99)
    order_first: int = whole(0, 0, 496)


@Section("order", settings=Order, cell="order_cell", reads=(Frame,), types=("src",), text="lead", first=WHAT_CHANGES)
def order(chapter: Chapter[Order]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    columns = st.columns(3)
    with columns[0]:
        tokens = sequence(chapter, "src")
    with columns[1]:
        seed = controls.slider(chapter, "order_seed")
    with columns[2]:
        first = controls.slider(chapter, "order_first", 0, max(0, at_hand.config.d_model - SHOWN))
    moved = reordering(len(tokens), seed)
    found = memories(at_hand, tokens, seed)
    largest = {name: number(of["gap"].abs().max().item(), 2) for name, of in found.items()}
    before = at_hand.source.labels(tokens)
    after = [before[at] for at in moved.tolist()]
    st.caption(say("order.tokens", before=" ".join(before), after=" ".join(after)))
    high = max(of["expected"].abs().max().item() for of in found.values())
    shown = slice(first, first + SHOWN)
    dims = range(at_hand.config.d_model)[shown]
    panels = [
        Panel(
            name,
            of["gap"].numpy(),
            title=say(f"order.{name}", largest=largest[name]),
            row_labels=after,
            row_axis=say("order.row_axis"),
            col_labels=[str(dim) for dim in dims],
            col_axis=say("dimension_axis"),
            high=high,  # what is subtracted has the same ends
            digits=4,
            meaning="encoder",
            symbol="Δ",
            window=(slice(None), shown),
            made=Matrix(f"{name}.reordered")[I, J] - Matrix(f"{name}.expected")[I, J],
        )
        for name, of in found.items()
    ]
    operands = [
        Operand(f"{name}.{part}", of[part].numpy(), symbol, "encoder")
        for name, of in found.items()
        for part, symbol in (("reordered", "a"), ("expected", "b"))
    ]
    figure = Figure(
        "order",
        Board(panels, operands),
        at_hand.provenance("encoder.output", *panels[-1].values.shape),
        code=(order_gap,),
        program=(
            f"{model_snippet(at_hand)}\nfrom transformer_core.positions import order_gap\n\n"
            f"x = model.src_embed[0](torch.tensor([{list(tokens)}]))\norder = torch.tensor({moved.tolist()})\n"
            "print(order_gap(lambda x: model.encoder(x, None), x, order).abs().max())  # without the position code\n"
            "shown = order_gap(lambda x: model.encoder(model.src_embed[1](x), None), x, order)[0].detach()\n"
            "print(shown)\n"
        ),
        alt=say("order.alt", **largest),
    )
    show(chapter, figure)
    chapter.write("order.text" if at_hand.config.positions else "order.silent", **largest)


def reordering(length: int, seed: int) -> Tensor:
    """Which token comes to stand at each place."""
    return torch.randperm(length, generator=torch.Generator().manual_seed(seed))


def memories(at_hand: ModelAtHand, tokens: tuple[int, ...], seed: int) -> dict[str, Trace]:
    """What the encoder makes of both orders "without" the position code and "with" it, as `_gap` says."""
    moved = reordering(len(tokens), seed)
    return {
        name: measured(at_hand, ("order", name, tokens, seed), partial(_gap, tokens, moved, name == "with"))
        for name in ("without", "with")
    }


def _gap(tokens: tuple[int, ...], order: Tensor, with_positions: bool, model: EncoderDecoder) -> dict[str, Tensor]:
    """The memory of the tokens in another order, the memory in that order, and their gap: (S, d_model) each."""
    found = []

    def encode(x: Tensor) -> Tensor:
        found.append(model.encoder(model.get_submodule("src_embed.1")(x) if with_positions else x, None))
        return found[-1]

    with torch.no_grad():
        gap = order_gap(encode, model.get_submodule("src_embed.0")(torch.tensor([tokens])), order)
    reordered, before = found
    return {"gap": gap[0], "reordered": reordered[0], "expected": before[0, order]}
