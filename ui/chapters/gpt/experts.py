"""Who answers? A router sends each word of the reader's row to one of four networks: two GPTs of experts, one trained
with the balance loss and one without it."""

from typing import Any, NamedTuple

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import record
from transformer_core.after_2017.experts import MixtureOfExperts, balance_loss, chosen_gates, load
from transformer_core.tasks.vocabulary import PAD, START
from transformer_core.training.row_run import row_right
from ui.cache import cached
from ui.chapters.gpt.reading import labels, layer_of, origin, words_of
from ui.figures import Board, Figure, Operand, Panel, number, percent
from ui.figures.formula import I, J, K, Matrix, Number, by_row, largest, mean, total
from ui.figures.paper import softmax
from ui.model import ModelAtHand
from ui.model.rows import Row, row_kind, row_recorded, row_snippet, task_of
from ui.model.shipped import ROWS, one_stack
from ui.sections import Chapter, Choice, Section, controls, predict, show
from ui.settings.fields import Settings, choice, text, whole

KINDS = {"with": "gpt_experts", "without": "gpt_unbalanced"}  # the balance loss
COUNT = 200  # rows that no run trains on
WORK = Choice("expert_work", ("one", "all", "quarter"), right="one")
LOADS = """import torch

from transformer_core import load_any, record
from transformer_core.after_2017.experts import balance_loss, load

models = [load_any(f"assets/model/{{name}}") for name in {names}]
rows = models[0].config.task.held_out({count})
real = rows.flatten() != 0
shown = torch.zeros(2, {experts})
for shares, loaded in zip(shown, models):
    with torch.inference_mode(), record(loaded.model) as trace:
        loaded.model(rows)
    gates, router = (trace[f"{path}.{{name}}"].flatten(0, 1)[real] for name in ("gates", "router_probabilities"))
    shares[:] = load(gates)
    print(balance_loss(router, gates))
print(shown)
"""


class Experts(Settings):
    routed: str = text("")
    routed_by: str = choice("with", *KINDS)
    routed_layer: int = whole(0, 0, 5)


class Routed(NamedTuple):
    """What the routers of a model do with all words of COUNT rows."""

    loads: Tensor  # (layers, experts)
    balance: Tensor  # (layers,)
    right: float  # of the rows, the share that the model translates without a mistake


def models_of(at_hand: ModelAtHand) -> dict[str, str]:
    """The shipped model of each of KINDS."""
    return {name: row_kind(kind, at_hand) for name, kind in KINDS.items()}


def routed(kind: str) -> Routed:
    return cached.get_or_make(("routed", kind), lambda: _routed(kind))


def _routed(kind: str) -> Routed:
    task, model = task_of(kind), one_stack(kind).model
    rows = task.held_out(COUNT)
    real = rows.flatten() != PAD
    with torch.inference_mode(), record(model) as trace:
        model(rows)
    loads, balances = [], []
    for layer in range(model.shape.N):
        gates, router = (
            trace[f"{_path(layer)}.{name}"].flatten(0, 1)[real] for name in ("gates", "router_probabilities")
        )
        loads.append(load(gates))
        balances.append(balance_loss(router, gates))
    right = float(row_right(model, task, rows).float().mean())
    return Routed(torch.stack(loads), torch.stack(balances), right)


def _path(layer: int) -> str:
    return f"decoder.layers.{layer}.feed_forward"


@Section("experts", settings=Experts, cell="expert_cell", text="text", asks=(WORK,))
def experts(chapter: Chapter[Experts]) -> None:
    board, beside = st.columns([3, 2], gap="medium")
    with board:
        above = chapter.figure_first()
    with beside:
        models = models_of(chapter.at_hand)
        words = words_of(chapter, "routed", models["with"])
        kind = models[controls.choose(chapter, "routed_by")]
        layer = layer_of(chapter, "routed_layer", kind)
    row = (START, *words)
    show(above, _router(chapter, kind, layer, row))
    gates, names = row_recorded(kind, row)[f"{_path(layer)}.gates"][0], labels(kind, row)
    sure = int(gates.amax(1)[1:].argmax()) + 1
    with beside:
        chapter.write(
            "experts.said", word=names[sure], expert=int(gates[sure].argmax()), share=percent(float(gates[sure].max()))
        )
        if predict(chapter, WORK):
            _count(chapter, kind)
    _balance(chapter, models, layer)


def _router(chapter: Chapter[Experts], kind: str, layer: int, row: Row) -> Figure:
    say, trace, path, names = chapter.say, row_recorded(kind, row), _path(layer), labels(kind, row)
    logits, router, gates = (
        trace[f"{path}.{name}"][0].numpy() for name in ("router_logits", "router_probabilities", "gates")
    )
    count, E = gates.shape
    columns, p, g, averages = [str(expert) for expert in range(E)], Matrix("router"), Matrix("gates"), Matrix("load")
    axes: dict[str, Any] = {"col_labels": columns, "col_axis": say("experts.axis"), "print_values": True}
    panels = [
        Panel("router", router, say("experts.router", layer=layer), names, scale="probability", symbol="p",
              made=softmax(Matrix("logits"), E), place=(0, 0), **axes),
        Panel("gates", gates, say("experts.gates"), names, scale="probability", symbol="g", meaning="attention",
              made=largest(K, E, p[I, K]).at_most(p[I, J]) * p[I, J], place=(0, 1), beside=True, **axes),
        Panel("load", np.stack([(gates > 0).mean(0), router.mean(0)]), say("experts.load"),
              ["f", "P"], scale="probability", symbol=("f", "P"),
              made=by_row(mean(K, count, g[K, J].differs_from(0)), mean(K, count, p[K, J])), place=(1, 0), **axes),
        Panel("balance", trace[f"{path}.balance"].reshape(1, 1).numpy(), say("experts.balance"), symbol="L",
              scale="magnitude", low=0, high=E, print_values=True,
              made=Number(E, "E") * total(K, E, averages[0, K] * averages[1, K]), place=(1, 1)),
    ]  # fmt: skip
    return Figure(
        "experts",
        Board(panels, [Operand("logits", logits, "logit")], result="gates"),
        origin(kind, f"{path}.gates", count, E),
        code=[MixtureOfExperts, chosen_gates, load, balance_loss],
        program=f"{row_snippet(kind, row)}shown = trace['{path}.gates'][0]\nprint(shown)\n",
        alt=say("experts.alt", layer=layer),
    )


def _count(chapter: Chapter[Experts], kind: str) -> None:
    model = one_stack(kind).model
    network = sum(p.numel() for name, p in model.named_parameters() if ".experts.0." in name)
    assert model.shape.experts is not None
    held = sum(p.numel() for p in model.parameters())
    idle = network * (model.shape.experts - 1)
    chapter.write("experts.why", held=f"{held:,}", used=f"{held - idle:,}")


def _balance(chapter: Chapter[Experts], models: dict[str, str], layer: int) -> None:
    say, found = chapter.say, {name: routed(kind) for name, kind in models.items()}
    loads = np.stack([each.loads[layer].numpy() for each in found.values()])
    E = loads.shape[1]
    panel = Panel(
        "loads", loads, say("experts.loads", count=COUNT, layer=layer),
        [say(f"experts.row.{name}") for name in KINDS], [str(expert) for expert in range(E)],
        col_axis=say("experts.axis"), scale="probability", symbol="f", print_values=True,
    )  # fmt: skip
    figure = Figure(
        "loads",
        Board([panel]),
        f"load(gates) · held_out({COUNT}) · {len(KINDS)} × {E} · seed 0",
        code=[load, balance_loss],
        program=LOADS.format(names=[ROWS[kind] for kind in models.values()], count=COUNT, experts=E, path=_path(layer)),
        alt=say("experts.loads_alt"),
    )
    show(chapter, figure)
    config = one_stack(models["with"]).config
    assert config is not None
    said: dict[str, object] = {"count": COUNT, "alpha": config.balance}
    for name, each in found.items():
        shares = each.loads[layer]
        said |= {
            f"least_{name}": percent(float(shares.min()), 0), f"most_{name}": percent(float(shares.max()), 0),
            f"loss_{name}": number(float(each.balance[layer]), 3), f"right_{name}": percent(each.right, 0),
        }  # fmt: skip
    chapter.write("experts.balanced", **said)
