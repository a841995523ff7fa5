"""How large embeddings are beside the position code, with and without the factor √d_model."""

import math
from functools import cache

import torch
from torch import Tensor, nn

from transformer_core import Embeddings, position_code
from transformer_core.random_seed import Seeded
from ui import theme
from ui.chapters.shared.model_program import model_snippet
from ui.figures import number, plotted, runnable
from ui.sections import Chapter, Choice, Section, controls, provenance, show
from ui.settings.fields import Settings, choice

D_MODELS = tuple(2**power for power in range(1, 10))
VOCAB, LENGTH, SEED = 11, 10, 0

SMALL = Choice("small", ("larger", "same", "tenth"), right="tenth")


class SizesSettings(Settings):
    init: str = choice("xavier", "xavier", "normal")


@Section("sizes", settings=SizesSettings, text="lead", first=SMALL)
def sizes(chapter: Chapter[SizesSettings]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    init = controls.choose(chapter, "init")
    found = mean_sizes(init).numpy()
    table = at_hand.load().get_submodule("src_embed.0.lut").get_parameter("weight")
    size = at_hand.config.d_model
    mine = table.detach().abs().mean().item() * math.sqrt(size)
    teal, text = theme.css("encoder"), theme.css("text")
    figure = plotted(
        "sizes",
        found,
        ["d_model", *(say(f"sizes.{line}") for line in ("raw", "scaled", "code"))],
        provenance(f"Embeddings(d_model, {VOCAB}).lut.weight, {init}", len(D_MODELS))
        + f" · seed {SEED}; {at_hand.provenance('src_embed.0.lut.weight', *table.shape)}",
        y_title=say("sizes.axis"),
        colors=[teal, teal, text],
        dashed=[say("sizes.raw")],
        points={say("sizes.at_hand"): (size, mine)},
        log_x=True,
        log_y=True,
        y_range=(0.03, 30.0),
        markers=True,
        height=320,
        code=(mean_sizes, Embeddings, position_code),
        program=(
            f"{runnable(mean_sizes, init)}\n\n{model_snippet(at_hand)}\n"
            f"print(model.src_embed[0].lut.weight.abs().mean() * {size} ** 0.5)  # of the model at hand\n"
        ),
    )
    show(chapter, figure)
    raw, scaled, code = (number(value, 2) for value in found[-1, 1:])
    chapter.write(f"sizes.text_{init}", raw=raw, scaled=scaled, code=code, mine=number(mine, 2))
    chapter.write("sizes.text", mine=number(mine, 2), d_model=size)


@cache
def mean_sizes(init: str) -> Tensor:
    """For each d_model the mean |value| of a table before training, as `nn.Embedding` starts it or refilled as
    `make_model` does, the same times √d_model, and that of the position code: (n, 4), d_model first."""
    rows = []
    for d_model in D_MODELS:
        with Seeded(SEED):
            table = Embeddings(d_model, VOCAB).lut.weight
            if init == "xavier":
                nn.init.xavier_uniform_(table)
        raw = table.abs().mean().item()
        rows.append([d_model, raw, raw * d_model**0.5, position_code(LENGTH, d_model).abs().mean().item()])
    return torch.tensor(rows)
