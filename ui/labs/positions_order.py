"""An encoder without positions cannot tell the order of its tokens; with them it can. Both measured."""

from functools import partial

import streamlit as st
import torch
from torch import Tensor

from transformer_core import EncoderDecoder
from transformer_core.positions import order_gap
from ui import controls
from ui.caption import caption
from ui.drawing import board
from ui.figures.arithmetic import equation, number, operand
from ui.figures.board import Panel
from ui.figures.tokens import named
from ui.labs.model_snippet import model_snippet
from ui.predict import predict_choice
from ui.recorded import measured
from ui.session import LONGEST
from ui.shell import Chapter

SHOWN = 24  # dimensions on screen
OPTIONS = ("moved", "same", "changed")


def order_section(chapter: Chapter) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    chapter.write("order.lead")
    if not predict_choice(chapter, "order", OPTIONS, "moved"):
        return
    columns = st.columns(3)
    with columns[0]:
        tokens = controls.sequence(chapter, "src", at_hand.config.vocab, LONGEST)
    with columns[1]:
        seed = controls.slider(chapter, "order_seed")
    with columns[2]:
        first = controls.slider(chapter, "order_first", 0, max(0, at_hand.config.d_model - SHOWN))
    if not tokens:
        return
    order = torch.randperm(len(tokens), generator=torch.Generator().manual_seed(seed))
    gaps, memories = {}, {}
    for name in ("without", "with"):
        found = measured(
            at_hand, ("order", name, tokens, seed), partial(_gap, at_hand.model, tokens, order, name == "with")
        )
        gaps[name], memories[name] = found["gap"], (found["reordered"], found["expected"])
    largest = {name: gap.abs().max().item() for name, gap in gaps.items()}
    names = named(tokens)
    moved = [names[at] for at in order.tolist()]
    st.caption(say("order.tokens", before=" ".join(names), after=" ".join(moved)))
    high = max(expected.abs().max().item() for _, expected in memories.values())
    panels = [
        Panel(
            name,
            gap[:, first : first + SHOWN].numpy(),
            title=say(f"order.{name}", largest=number(largest[name], 2)),
            row_labels=moved,
            row_axis=say("order.row_axis"),
            col_labels=[str(dim) for dim in range(first, min(first + SHOWN, gap.size(1)))],
            col_axis=say("dimension_axis"),
            high=high,  # what is subtracted has the same ends
            digits=4,
            meaning="encoder",
            place=(0, at),
        )
        for at, (name, gap) in enumerate(gaps.items())
    ]
    chosen = board(chapter, "order", panels, cell="order_cell", alt=say("order.alt", **_short(largest))).chosen
    if chosen:
        name, i, j = chosen
        reordered, expected = (memory[i, first + j].item() for memory in memories[name])
        sides = f"{operand(reordered, 'encoder', 6)} − {operand(expected, 'encoder', 6)}"
        st.html(equation(f"Δ[{i}, {first + j}]", sides, result=reordered - expected))
    caption(
        chapter,
        "order",
        at_hand.provenance("encoder.output", *gaps["with"].shape),
        numbers=gaps["with"].numpy(),
        code=[order_gap],
        snippet=model_snippet(at_hand) + _measure(tokens, order.tolist()),
    )
    chapter.write("order.text", **_short(largest))


def _gap(model: EncoderDecoder, tokens: tuple[int, ...], order: Tensor, with_positions: bool) -> dict[str, Tensor]:
    """The memory of the tokens in another order, the memory in that order, and their gap: (S, d_model) each."""
    memories = []

    def encode(x: Tensor) -> Tensor:
        memories.append(model.encoder(model.get_submodule("src_embed.1")(x) if with_positions else x, None))
        return memories[-1]

    with torch.no_grad():
        gap = order_gap(encode, model.get_submodule("src_embed.0")(torch.tensor([tokens])), order)
    reordered, before = memories
    return {"gap": gap[0], "reordered": reordered[0], "expected": before[0, order]}


def _short(largest: dict[str, float]) -> dict[str, str]:
    return {name: number(value, 2) for name, value in largest.items()}


def _measure(tokens: tuple[int, ...], order: list[int]) -> str:
    return (
        f"x = model.src_embed[0](torch.tensor([{list(tokens)}]))\norder = {order}\n"
        "without = model.encoder(x[:, order], None) - model.encoder(x, None)[:, order]\n"
        "encode = lambda x: model.encoder(model.src_embed[1](x), None)  # adds the position code first\n"
        "gap = encode(x[:, order]) - encode(x)[:, order]\n"
        "print(without.abs().max(), gap.abs().max())\n"
    )
