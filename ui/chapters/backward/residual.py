"""Why gradients get through many layers: what a layer gets with its residual sums, and without them."""

from functools import lru_cache
from typing import Literal, cast

import numpy as np

from transformer_core.experiments.interventions import without_residual
from transformer_core.experiments.passing import LayerNorms, Stack, a_layer, layer_gradients, without_sums
from ui.figures import Style, YAxis, number, plotted
from ui.sections import Chapter, Choice, Section, controls, provenance, show
from ui.settings.fields import Settings, choice, whole
from ui.theme import css

Learns = Literal["all", "asking"]
DEEPEST = 8
WAYS = {"with": "right", "without": "wrong"}  # the residual sums, and the colour of each line
SUMS = Choice("ask_sums", ("fade", "same", "grow"), right="fade")


class Residual(Settings):
    stack: str = choice("decoder", "decoder", "encoder")
    learns: str = choice("all", "all", "asking")
    layers: int = whole(6, 2, DEEPEST)
    sums_seed: int = whole(0, 0, 9999)


@lru_cache(maxsize=256)
def measured(N: int, stack: Stack, sums: bool, seed: int) -> LayerNorms:
    return layer_gradients(N, stack, sums=sums, seed=seed)


def both_ways(N: int, stack: Stack, learns: Learns, seed: int) -> np.ndarray:
    """(N, 3): the layer, and the norm of its gradient with the sums and without."""
    norms = [getattr(measured(N, stack, sums, seed), learns) for sums in (True, False)]
    return np.stack([np.arange(N), *norms], axis=1)


@Section("residual", settings=Residual, text="text", why="why", first=SUMS)
def residual(chapter: Chapter[Residual]) -> None:
    say, above = chapter.say, chapter.figure_first()
    stack, learns = (controls.choose(chapter, name) for name in ("stack", "learns"))
    depth, seed = controls.side_by_side(chapter, layers={}, sums_seed={"high": 100})
    numbers = both_ways(depth, cast(Stack, stack), cast(Learns, learns), seed)
    figure = plotted(
        "residual",
        numbers,
        [say("residual.layer"), *(say(f"residual.{way}") for way in WAYS)],
        f"{provenance(f'layer_gradients({depth}, {stack!r}).{learns}', 2, depth)} · seed {seed}",
        code=[layer_gradients, without_sums, without_residual],
        program=(
            "import torch\nfrom transformer_core.experiments.passing import layer_gradients\n\n"
            f"both = [layer_gradients({depth}, {stack!r}, sums=sums, seed={seed}) for sums in (True, False)]\n"
            f"layers = torch.arange({depth}, dtype=torch.float64)\n"
            f"shown = torch.stack([layers, *(torch.tensor(norms.{learns}).double() for norms in both)], dim=1)\n"
            "print(shown)\n"
        ),
        y_axis=YAxis(say("residual.norm"), log=True),
        style=Style(colors=[css(meaning) for meaning in WAYS.values()], markers=True),
        height=320,
        alt=say("residual.alt", depth=depth),
    )
    show(above, figure)
    factors = {way: a_layer(numbers[:, at].tolist()) for at, way in enumerate(WAYS, 1)}
    chapter.write(
        "residual.measured",
        **{way: number(factor, 2) for way, factor in factors.items()},
        **{f"first_{way}": number(numbers[0, at], 2) for at, way in enumerate(WAYS, 1)},
        **{f"last_{way}": number(numbers[-1, at], 2) for at, way in enumerate(WAYS, 1)},
    )
    if stack == "encoder":
        chapter.write("residual.encoder")
