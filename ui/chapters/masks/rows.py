"""Padded keys blocked as columns, as here, against padded queries blanked as rows, as in the notes."""

import streamlit as st
from torch import Tensor

from transformer_core import PAD, query_row_mask, target_mask
from transformer_core.attention import BLOCKED
from transformer_core.softmax import masked_softmax
from ui.chapters.masks.padding import Both, chosen_sequences, names_of
from ui.chapters.masks.scores import LOOK_AHEAD, HeadScores, model_scores, shares, weighted, written
from ui.chapters.shared.attention_values import pairs
from ui.figures import Board, Figure, Operand, Panel, number
from ui.figures.formula import I, J, K, Matrix, exp
from ui.inputs.typed_numbers import NotNumbers
from ui.sections import Chapter, Section, controls, show
from ui.settings.fields import Settings, flag, whole

VERSIONS = {"columns": target_mask, "rows": query_row_mask}


class Rows(Settings):
    head: int = whole(0, 0, 15)
    front: bool = flag(False)


@Section("rows", settings=Rows, cell="rows_cell", reads=(Both,), text="text", why="why")
def rows(chapter: Chapter[Rows]) -> None:
    say = chapter.say
    try:
        batch, which = chosen_sequences(chapter.of(Both))
    except NotNumbers:
        st.warning(say("needs_lengths"))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        head = controls.number_of(chapter, "head", chapter.at_hand.config.h)
        front = controls.toggle(chapter, "front")
    tokens = batch[which]  # (T,)
    if front:
        tokens = tokens[(tokens != PAD).int().argsort(stable=True)]
    scores = model_scores(chapter.at_hand, head, tokens)
    masks = {name: version(tokens.unsqueeze(0))[0] for name, version in VERSIONS.items()}
    weights = {name: masked_softmax(scores.values, mask, BLOCKED).weights for name, mask in masks.items()}
    figure = Figure(
        "rows",
        board(chapter, tokens, scores, masks, weights),
        scores.origin,
        code=[target_mask, query_row_mask, masked_softmax],
        program=program(tokens, scores.values),
    )
    show(chapter, figure)
    chapter.write("rows.leak", **{name: number(leak(tokens, shares)) for name, shares in weights.items()})


def leak(tokens: Tensor, weights: Tensor) -> float:
    """The largest share of its weight that a real token (a row) gives to paddings; 0 if there are none of either."""
    real = tokens != PAD
    given = weights[real][:, ~real].sum(-1)
    return float(given.max()) if given.numel() else 0.0


def board(
    chapter: Chapter[Rows], tokens: Tensor, scores: HeadScores, masks: dict[str, Tensor], weights: dict[str, Tensor]
) -> Board:
    paddings = (tokens == PAD).nonzero().flatten().tolist()
    say, square = chapter.say, pairs(chapter, names_of(chapter, tokens), paddings=paddings)
    token, s = Matrix("tokens"), Matrix("scores")
    real = {"columns": token[0, J].differs_from(PAD), "rows": token[0, I].differs_from(PAD)}
    panels: list[Panel] = []
    for at, (name, mask) in enumerate(masks.items()):
        key, made = f"{name}_mask", real[name] * LOOK_AHEAD
        panels.append(
            square(key, mask.int().numpy(), say(key), scale="mask", symbol="mask", place=(0, 2 * at), made=made)
        )
        amount, other = (Matrix(key)[I, at] * exp(s[I, at]) for at in (J, K))
        key, place = f"{name}_weights", (0, 2 * at + 1)
        panels.append(weighted(square, key, weights[name], say(key), place, shares(mask, amount, other)))
    operands = [Operand("tokens", tokens.unsqueeze(0).numpy(), "token"), Operand("scores", scores.values.numpy(), "s")]
    return Board(panels, operands)


def program(tokens: Tensor, scores: Tensor) -> str:
    size = len(tokens)
    return f"""import torch

tokens = torch.tensor({tokens.tolist()})
scores = torch.tensor({written(scores.tolist())})
look_ahead = torch.ones({size}, {size}, dtype=torch.bool).tril()
keys = (tokens != 0).unsqueeze(0) & look_ahead  # padded columns blocked
queries = (tokens != 0).unsqueeze(1) & look_ahead  # padded rows blocked
by_keys = scores.masked_fill(~keys, -1e9).softmax(-1)
shown = scores.masked_fill(~queries, -1e9).softmax(-1)
print(by_keys)
print(shown)"""
