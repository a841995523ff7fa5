"""Equal tokens get equal vectors, until the position code is added."""

from functools import partial

import streamlit as st
import torch

from transformer_core.embeddings import largest_differences
from transformer_core.positions import position_table
from ui.chapters.shared.attention_values import numbered
from ui.chapters.shared.word_choice import suit
from ui.chapters.tokens.examples import SHOWN_DIMENSIONS, new_table, own_table
from ui.figures import Board, Figure, Operand, Panel
from ui.figures.formula import I, J, K, Matrix, absolute, largest
from ui.figures.paper import embedded
from ui.inputs.sequence import tokens as read
from ui.inputs.typed_numbers import NotNumbers, whole_numbers
from ui.model import ModelAtHand
from ui.sections import Chapter, Choice, Section, controls, show
from ui.sections.sequence_fields import field, offer_near
from ui.settings.fields import Settings, flag, text

D_MODEL, VOCAB, SEED = 16, 10, 0
MOST_TOKENS = 12

EQUAL = Choice("equal", ("none", "some", "all"), right="none")


class Equal(Settings):
    repeated: str = text("4 5 8 8 1", 40)
    positions: bool = flag(False)


@Section("equal_rows", settings=Equal, cell="repeat_cell", text="lead", first=EQUAL)
def equal_rows(chapter: Chapter[Equal]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    suit(chapter, "repeated")
    _, positions = controls.side_by_side(chapter, [3, 2], repeated={}, positions={})
    tokens, problem = field(chapter, "repeated", partial(_read, at_hand=at_hand))
    if problem:
        of_numbers = isinstance(problem, NotNumbers)
        words, key = (say, f"tokens_wrong.{problem.key}") if of_numbers else (chapter.shell, problem.key)
        st.warning(words(key, **problem.values))
        if not of_numbers:
            offer_near(chapter, "repeated", at_hand.source)
    if tokens is None:
        return
    table = new_table(D_MODEL, VOCAB, SEED) if at_hand.words is None else own_table(at_hand)
    d_model = table.embeddings.d_model
    silent = at_hand.words is not None and not at_hand.config.positions  # the model at hand adds zeros
    learned = at_hand.words is not None and at_hand.config.learned_positions
    named = (
        f"model.src_embed[1].lut.weight[:{len(tokens)}].detach()"
        if learned
        else f"{'0 * ' if silent else ''}position_code({len(tokens)}, {d_model})"
    )
    added = f" + {named}" if positions else ""
    vectors = f"x), {table.name}{added}" if at_hand.words is None else f"src_embed.{int(positions)}.output)"
    code = position_table(len(tokens), d_model, silent=silent)[0]
    if learned:
        code = at_hand.load().get_parameter("src_embed.1.lut.weight").detach()[: len(tokens)]
    with torch.no_grad():
        looked_up = table.embeddings(torch.tensor([tokens]))[0]
    x = looked_up + code if positions else looked_up
    differences = largest_differences(x)
    names = list(map(str, tokens)) if at_hand.words is None else at_hand.source.labels(tokens)
    embedding = embedded(Matrix("table")[I.of(tokens, "id"), J], d_model)
    panel = partial(Panel, row_labels=names, row_axis=say("sequence_row_axis"), digits=4)
    shown = slice(0, SHOWN_DIMENSIONS)
    panels = [
        panel(
            "x",
            x.numpy(),
            title=say("equal_rows.with_code" if positions else "equal_rows.without_code"),
            col_labels=numbered(d_model)[shown],
            col_axis=say("dimension_axis"),
            meaning="encoder",
            window=(slice(None), shown),
            made=embedding + Matrix("code")[I, J] if positions else embedding,
        ),
        panel(
            "differences",
            differences.numpy(),
            title=say("equal_rows.differences"),
            col_labels=names,
            scale="magnitude",
            symbol="Δ",
            made=largest(K, d_model, absolute(Matrix("x")[I, K] - Matrix("x")[J, K])),
            place=(0, 1),
        ),
    ]
    rows = Operand("table", table.embeddings.lut.weight.detach().numpy(), "E", "encoder")
    figure = Figure(
        "equal",
        Board(panels, [rows, Operand("code", code.numpy(), "P" if learned else "PE")]),
        table.origin(f"largest_differences({vectors}", *differences.shape),
        columns=names,
        code=(largest_differences,),
        program=(
            f"{table.made_by}\nfrom transformer_core import position_code\n"
            "from transformer_core.embeddings import largest_differences\n\n"
            f"x = table(torch.tensor({list(tokens)})).detach() * {d_model} ** 0.5{added}\n"
            "shown = largest_differences(x)  # of any two rows, in any dimension\nprint(shown)\n"
        ),
        alt=say("equal_rows.alt"),
    )
    show(chapter, figure)
    chapter.write("equal_rows.silent" if silent else "equal_rows.text")


def _read(typed: str, at_hand: ModelAtHand) -> tuple[int, ...]:
    if at_hand.words is None:
        return whole_numbers(typed, 0, VOCAB - 1, MOST_TOKENS)
    return read(typed, at_hand.source, MOST_TOKENS)
