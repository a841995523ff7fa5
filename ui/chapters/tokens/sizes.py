"""How large embeddings are beside the position code, with and without the factor √d_model."""

import math
from functools import cache

import numpy as np
import torch
from torch import nn

from transformer_core import Embeddings, position_code
from ui import theme
from ui.chapters.shared.model_program import model_snippet
from ui.chapters.tokens.questions import SMALL
from ui.figures.curves import curves
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.page.predict import predict
from ui.showing.caption import provenance
from ui.showing.show import show

D_MODELS = tuple(2**power for power in range(1, 10))
VOCAB, LENGTH, SEED = 11, 10, 0


def sizes(chapter: Chapter) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    if not predict(chapter, SMALL):
        return
    init = controls.choose(chapter, "init")
    raw = np.array([_start(d_model, init) for d_model in D_MODELS])
    code = np.array([_code(d_model) for d_model in D_MODELS])
    lines = {
        say("sizes.raw"): raw,
        say("sizes.scaled"): raw * np.sqrt(D_MODELS),
        say("sizes.code"): code,
    }
    table = at_hand.model.get_submodule("src_embed.0.lut").get_parameter("weight")
    size = at_hand.config.d_model
    mine = table.detach().abs().mean().item() * math.sqrt(size)
    teal, text = theme.css("encoder"), theme.css("text")
    picture = curves(
        np.array(D_MODELS),
        lines,
        x_title="d_model",
        y_title=say("sizes.axis"),
        colors=[teal, teal, text],
        dashed=[say("sizes.raw")],
        points={say("sizes.at_hand"): (size, mine)},
        log_x=True,
        log_y=True,
        y_range=(0.03, 30.0),
        markers=True,
        height=320,
    )
    figure = Figure(
        "sizes",
        picture,
        say("sizes.alt"),
        provenance(f"Embeddings(d_model, {VOCAB}).lut.weight, {init}", len(D_MODELS))
        + f" · seed {SEED}; {at_hand.provenance('src_embed.0.lut.weight', *table.shape)}",
        numbers=np.stack([np.array(D_MODELS), *lines.values()], axis=1),
        columns=["d_model", *lines],
        code=(Embeddings, position_code),
        program=(
            f"{model_snippet(at_hand)}\nmine = model.src_embed[0].lut.weight.abs().mean().item() * {size} ** 0.5\n"
            f"rows = []\nfor d_model in {list(D_MODELS)}:\n"
            f"    torch.manual_seed({SEED})\n    table = torch.nn.Embedding({VOCAB}, d_model).weight\n"
            + ("    torch.nn.init.xavier_uniform_(table)\n" if init == "xavier" else "")
            + "    raw = table.abs().mean().item()\n"
            f"    angles = torch.arange({LENGTH}).unsqueeze(1) / 10000 ** (torch.arange(0, d_model, 2) / d_model)\n"
            "    code = torch.cat([angles.sin(), angles.cos()]).abs().mean().item()\n"
            "    rows.append([d_model, raw, raw * d_model**0.5, code])\n\n"
            "shown = torch.tensor(rows)\nprint(mine)  # of the model at hand\nprint(shown)\n"
        ),
    )
    show(chapter, figure)
    last = {"raw": raw[-1], "scaled": raw[-1] * math.sqrt(D_MODELS[-1]), "code": code[-1], "mine": mine}
    chapter.write(f"sizes.text_{init}", **{name: number(value, 2) for name, value in last.items()})
    chapter.write("sizes.text", mine=number(mine, 2), d_model=size)


@cache
def _code(d_model: int) -> float:
    """Mean |value| of the position code."""
    return float(position_code(LENGTH, d_model).abs().mean())


@cache
def _start(d_model: int, init: str) -> float:
    """Mean |value| of a table before training: as `nn.Embedding` starts it, or refilled as `make_model` does."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        table = Embeddings(d_model, VOCAB).lut.weight
        if init == "xavier":
            nn.init.xavier_uniform_(table)
    return table.detach().abs().mean().item()
