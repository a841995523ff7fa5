"""The table of positions that a run has learned, beside the sinusoids, and what both do past the trained length."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple, cast

import numpy as np
import streamlit as st
import torch
from torch import nn

from transformer_core import EncoderDecoder, LearnedPositions
from transformer_core.experiments.lengths import length_score
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.models import fresh_model
from ui.chapters.positions.values import code_panel
from ui.chapters.shared.model_program import config_source, model_snippet
from ui.chapters.shared.pair_of_runs import OfPair, Pair, PairLab, pair_lab
from ui.figures import Board, Figure, Operand, Panel, number
from ui.figures.formula import I, J, K, Matrix, Number, absolute, largest
from ui.model import ModelAtHand, made
from ui.sections import Chapter, Section, show
from ui.session import session
from ui.settings.fields import whole
from ui.training_service.queue import Refused

PAST = 4  # positions past the trained ones, and lengths past the trained one
SHOWN = 16  # dimensions on screen
COUNT = 200  # sequences of each length
WAYS = "sinusoids", "learned"
TABLE = "src_embed.1.lut.weight"


class LearnedTable(OfPair):
    table_length: int = whole(10, 4, 16)
    table_seed: int = whole(0, 0, 9999)


class LearnedRows(NamedTuple):
    """The first rows of the table, and where it ends."""

    table: np.ndarray  # (rows, d_model) after the run
    start: np.ndarray  # and before it
    rows: int  # of the whole table
    refusal: str  # what the model says to a sequence that is longer


@Section("learned_table", settings=LearnedTable, cell="table_cell reach_cell", text="lead")
def learned_table(chapter: Chapter[LearnedTable]) -> None:
    shown = {"table_length": {}, "table_seed": {"high": 20}}
    pair_lab(chapter, PairLab(tuple(shown), shown, (3, 2, 2), pair_of, waiting, trained))


def pair_of(chapter: Chapter[LearnedTable]) -> Pair:
    chosen = chapter.settings
    config = TrainConfig(length=chosen.table_length, seed=chosen.table_seed)
    return {way: replace(config, learned_positions=way == "learned") for way in WAYS}


def waiting(chapter: Chapter[LearnedTable]) -> None:
    config = pair_of(chapter)["learned"]
    chapter.write("learned_table.waiting", steps=config.steps, length=config.length, rows=config.shape.position_rows)


def trained(chapter: Chapter[LearnedTable], histories: Mapping[str, History]) -> None:
    try:
        there = all(session().runs.model(config, config.steps) for config in pair_of(chapter).values())
    except Refused:
        there = False
    if not there:
        st.info(chapter.say("learned_table.again"))
        return
    models = {way: ModelAtHand("run", config, config.steps, config.seed) for way, config in pair_of(chapter).items()}
    _tables(chapter, models["learned"])
    _reach(chapter, models)


def _tables(chapter: Chapter[LearnedTable], at_hand: ModelAtHand) -> None:
    say, config = chapter.say, at_hand.run
    rows = config.length + PAST
    found = made(at_hand, ("table", rows), partial(reach_of, config, rows))
    code = fresh_model(replace(config, learned_positions=False)).get_buffer("src_embed.1.pe")[0, :rows].numpy()
    part = slice(0, SHOWN)
    sinusoids = code_panel(chapter, "sinusoids", code, say("learned_table.code"), shown=part)
    table = replace(
        sinusoids, key="table", values=found.table, title=say("learned_table.table", tensor=TABLE), symbol="P",
        high=float(np.abs(found.table).max()), made=None, place=(0, 1),
    )  # fmt: skip
    moved = np.abs(found.table - found.start).max(1, keepdims=True)
    difference = absolute(Matrix("table")[I, K] - Matrix("start")[I, K])
    panels = [
        sinusoids,
        table,
        Panel(
            "moved",
            moved,
            title=say("learned_table.moved"),
            row_labels=sinusoids.row_labels,
            row_axis=sinusoids.row_axis,
            scale="magnitude",
            digits=3,
            print_values=True,
            symbol="Δ",
            made=largest(K, config.d_model, difference),
            place=(0, 2),
        ),
    ]
    figure = Figure(
        "learned_table",
        Board(panels, [Operand("start", found.start, "P₀")], cell="table_cell", result="table"),
        at_hand.provenance(f"{TABLE}[:{rows}]", *found.table.shape),
        code=(LearnedPositions,),
        program=f"{model_snippet(at_hand)}\nshown = model.get_parameter({TABLE!r})[:{rows}].detach()\nprint(shown)\n",
        alt=say("learned_table.alt", length=config.length),
    )
    show(chapter, figure)
    chapter.write(
        "learned_table.text",
        last=config.length - 1,
        least=number(float(moved[: config.length].min()), 2),
        most=number(float(moved[: config.length].max()), 2),
        past=number(float(moved[config.length :].max()), 2),
        rows=found.rows,
        refusal=found.refusal,
    )


def reach_of(config: TrainConfig, rows: int, model: EncoderDecoder) -> LearnedRows:
    """The first rows of the source's table, now and before the run, and what is said to a position past the last."""
    positions = cast(LearnedPositions, cast(nn.Sequential, model.src_embed)[1])
    table, start = (each.get_parameter(TABLE).detach()[:rows].numpy().copy() for each in (model, fresh_model(config)))
    count, d_model = positions.lut.weight.shape
    try:
        positions(torch.zeros(1, count + 1, d_model))
    except ValueError as problem:
        return LearnedRows(table, start, count, str(problem))
    raise AssertionError("a position past the table was added")


def _reach(chapter: Chapter[LearnedTable], models: Mapping[str, ModelAtHand]) -> None:
    say, config = chapter.say, models["learned"].run
    lengths = tuple(range(config.length, config.length + PAST + 1))
    exact = np.stack([made(one, ("reach", lengths), partial(exact_of, lengths)) for one in models.values()], axis=1)
    panel = Panel(
        "exact",
        exact,
        title=say("learned_table.exact"),
        row_labels=[str(length) for length in lengths],
        row_axis=say("beyond.length_axis"),
        col_labels=[say(f"learned_table.{way}") for way in WAYS],
        scale="probability",
        print_values=True,
        symbol="p",
        made=Matrix("right")[I, J] / Number(COUNT, "n"),
    )
    programs = "".join(
        f"model = train_to({config_source(one.run)}, {one.step})\n"
        f"found.append([length_score(model, {config.vocab}, length, {COUNT}).exact for length in {list(lengths)}])\n"
        for one in models.values()
    )
    figure = Figure(
        "reach",
        Board([panel], [Operand("right", np.rint(COUNT * exact), "r")], cell="reach_cell"),
        f"length_score(model, {config.vocab}, length, {COUNT}) · 2 × {len(lengths)} · seed {config.seed}",
        code=(length_score,),
        program=(
            "import torch\nfrom transformer_core.experiments.lengths import length_score\n"
            "from transformer_core.train import train_to\nfrom transformer_core.training.config import TrainConfig\n\n"
            "torch.set_num_threads(1)  # sums come out the same to the last bit only if they are split alike\n"
            f"found = []\n{programs}shown = torch.tensor(found).T\nprint(shown)\n"
        ),
        alt=say("reach.alt", length=config.length),
    )
    show(chapter, figure)
    told = {"trained": exact[0], "next": exact[1], "last": exact[-1]}
    shares = {f"{way}_{when}": f"{share:.0%}" for when, row in told.items() for way, share in zip(WAYS, row)}
    chapter.write("learned_table.reach", length=config.length, longer=lengths[1], longest=lengths[-1], **shares)


def exact_of(lengths: tuple[int, ...], model: EncoderDecoder) -> np.ndarray:
    """Of the sequences of each length the share that is copied without a mistake: (lengths,)."""
    vocab = model.generator.proj.out_features
    return np.array([length_score(model, vocab, length, COUNT).exact for length in lengths])
