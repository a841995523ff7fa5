"""The code added to embeddings of different sizes: what decides whether two vectors are alike, token or position."""

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st
import torch
from torch import nn

from transformer_core import LearnedPositions, PositionalEncoding, record
from ui.chapters.positions.values import code_panel
from ui.chapters.shared.model_program import model_snippet
from ui.chapters.shared.word_choice import suit
from ui.figures import Board, Figure, Operand, Panel, number, scale_of
from ui.figures.formula import Cases, Formula, I, Index, J, K, Matrix, Named, Number, by_cell, root, total
from ui.figures.paper import embedded
from ui.inputs.sequence import parse
from ui.sections import Chapter, Choice, Section, controls, show
from ui.sections.sequence_fields import field, offer_near
from ui.settings.fields import Settings, real, text, whole

LONGEST = 16
SHOWN = 16  # dimensions on screen

ASK_TWICE = Choice("ask_twice", ("same", "nothing", "alike"), right="alike")


class PositionSumSettings(Settings):
    phrase: str = text("1 4 7 4 7 9 9 2 4", 100)
    size: float = real(1.0, 0.0, 10.0)  # of the embeddings, as a multiple
    sum_first: int = whole(0, 0, 496)


@Section("sum", settings=PositionSumSettings, cell="sum_cell", text="lead", lesson=(ASK_TWICE,))
def added(chapter: Chapter[PositionSumSettings]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    suit(chapter, "phrase")
    part = {"high": max(0, at_hand.config.d_model - SHOWN)}
    _, size, first = controls.side_by_side(chapter, phrase={}, size={"step": 0.25}, sum_first=part)
    tokens, problem = field(chapter, "phrase", partial(parse, vocabulary=at_hand.source, longest=LONGEST))
    if problem:
        st.warning(chapter.shell(problem.key, **problem.values))
        offer_near(chapter, "phrase", at_hand.source)
    if tokens is None:
        return
    positions = at_hand.load().get_submodule("src_embed.1")
    assert isinstance(positions, PositionalEncoding | LearnedPositions)
    with torch.no_grad(), record(positions) as trace:
        embeddings = size * at_hand.load().get_submodule("src_embed.0")(torch.tensor([tokens]))
        positions(embeddings)
    parts = {"embeddings": embeddings, "code": trace["code"], "sum": trace["output"]}
    values = {part: x[0].double().numpy() for part, x in parts.items()}
    table = at_hand.load().get_submodule("src_embed.0.lut").get_parameter("weight").detach().numpy()
    figure = Figure(
        "sum",
        Board(
            [*_sums(chapter, values, tokens, size, first), *_cosines(chapter, values, tokens)],
            [Operand("table", table, "E", "encoder"), *_learned(positions)],
            result="sum",
        ),
        at_hand.provenance("src_embed.1.output", *values["sum"].shape),
        code=(type(positions),),
        program=(
            f"{model_snippet(at_hand)}\nembeddings = {size!r} * model.src_embed[0](torch.tensor([{list(tokens)}]))\n"
            "shown = model.src_embed[1](embeddings)[0].detach()  # plus the position code\nprint(shown)\n"
        ),
        alt=say("sum.alt", length=len(tokens)),
    )
    show(chapter, figure)
    sizes = {part: number(float(np.abs(x).mean()), 3) for part, x in values.items() if part != "sum"}
    chapter.write("sum.text" if at_hand.config.positions else "sum.silent", **sizes)


def _learned(positions: nn.Module) -> list[Operand]:
    """The table of positions, where there is one."""
    if not isinstance(positions, LearnedPositions):
        return []
    return [Operand("positions", positions.lut.weight.detach().numpy(), "P")]


def _sums(
    chapter: Chapter[PositionSumSettings],
    values: dict[str, np.ndarray],
    tokens: tuple[int, ...],
    size: float,
    first: int,
) -> list[Panel]:
    """The embeddings, the code and their sum, of which the dimensions from `first` on are shown."""
    say = chapter.say
    code = replace(
        code_panel(chapter, "code", values["code"], say("sum.code"), shown=slice(first, first + SHOWN)),
        row_labels=chapter.at_hand.source.labels(tokens),
        row_axis="",
        high=max(float(np.abs(x).max()) for x in values.values()),
    )
    if chapter.at_hand.config.learned_positions:
        code = replace(code, symbol="P", made=Matrix("positions")[I, J])
    scaled = embedded(Matrix("table")[I.of(tokens, "id"), J], values["code"].shape[1])
    made = {
        "embeddings": scaled if size == 1 else Number(size, "c") * scaled,
        "sum": Matrix("embeddings")[I, J] + Matrix("code")[I, J],
    }
    embeddings, both = (
        replace(code, key=key, values=values[key], title=say(f"sum.{key}"), symbol=symbol, made=made[key], place=place)
        for key, symbol, place in (("embeddings", "e", (0, 0)), ("sum", "x", (0, 2)))
    )
    return [replace(embeddings, row_axis=say("token_axis")), code, both]


def _cosines(
    chapter: Chapter[PositionSumSettings], values: dict[str, np.ndarray], tokens: tuple[int, ...]
) -> list[Panel]:
    say, names = chapter.say, chapter.at_hand.source.labels(tokens)
    found = {part: _alike(x) for part, x in values.items()}
    return [
        Panel(
            f"cos_{part}",
            cosines,
            title=say(f"sum.cos_{part}"),
            row_labels=names,
            row_axis=say("token_axis") if at == 0 else "",
            col_labels=names,
            scale=scale_of(cosines),
            high=1.0,
            digits=4,
            symbol="cos",
            made=_cosine(part, values[part]),
            place=(1, at),
        )
        for at, (part, cosines) in enumerate(found.items())
    ]


def _alike(x: np.ndarray) -> np.ndarray:
    """Cosine of the angle between any two rows, 0 where a row is zero: (length, d) -> (length, length)."""
    norms = np.linalg.norm(x, axis=1, keepdims=True)
    unit = np.divide(x, norms, out=np.zeros_like(x), where=norms > 0)
    return unit @ unit.T


def _cosine(panel: str, x: np.ndarray) -> Cases:
    def row(at: Index) -> Formula:
        return Matrix(panel)[at, K]

    d_model, some = x.shape[1], [bool(one.any()) for one in x]
    lengths = [Named(name, root(total(K, d_model, row(at) ** 2))) for name, at in (("|xᵢ|", I), ("|xⱼ|", J))]
    cosine = total(K, d_model, row(I) * row(J)) / (lengths[0] * lengths[1])
    return by_cell(*(cosine if one and other else Number(0) for one in some for other in some))
