"""What a softmax lets back through, query by query: with scores that were divided by √d_k, and without."""

from functools import lru_cache

import numpy as np

from transformer_core.experiments.passing import Reach, held_by, reach
from ui.figures import Style, YAxis, number, percent, plotted
from ui.sections import Chapter, Choice, Section, controls, provenance, show
from ui.settings.fields import Settings, choice, whole
from ui.theme import css

WAYS = {"divided": "right", "plain": "wrong"}  # the scores, and the colour of each line
LOWEST, HIGHEST = 1e-6, 30.0  # of the axis: what is less is nothing
REACH = Choice("ask_reach", ("few", "none", "eight"), right="few")


class Scale(Settings):
    head_d_k: str = choice("64", "16", "64", "256")
    head_seed: int = whole(0, 0, 9999)


@lru_cache(maxsize=64)
def measured(d_k: int, divided: bool, seed: int) -> Reach:
    return reach(d_k, scale=divided, seed=seed)


def both_ways(d_k: int, seed: int) -> np.ndarray:
    """(queries, 3): the share of queries that get no more, in percent, and what such a query gets: scores divided, and
    not."""
    lengths = [measured(d_k, divided, seed).queries.sort().values.numpy() for divided in (True, False)]
    return np.stack([100 * (np.arange(len(lengths[0])) + 0.5) / len(lengths[0]), *lengths], axis=1)


@Section("scale", settings=Scale, text="text", why="why", first=REACH)
def scale(chapter: Chapter[Scale]) -> None:
    say, above = chapter.say, chapter.figure_first()
    d_k = int(controls.choose(chapter, "head_d_k"))
    seed = controls.slider(chapter, "head_seed", 0, 100)
    numbers = both_ways(d_k, seed)
    figure = plotted(
        "scale",
        numbers,
        [say("scale.share"), *(say(f"scale.{way}") for way in WAYS)],
        f"{provenance(f'reach({d_k}).queries', 2, len(numbers))} · seed {seed}",
        code=[reach],
        program=(
            "import torch\nfrom transformer_core.experiments.passing import reach\n\n"
            f"both = [reach({d_k}, scale=scale, seed={seed}) for scale in (True, False)]\n"
            "lengths = [one.queries.sort().values for one in both]\n"
            "shares = 100 * (torch.arange(len(lengths[0])) + 0.5).double() / len(lengths[0])\n"
            "shown = torch.stack([shares, *lengths], dim=1)\nprint(shown)\n"
            "print([(one.jacobians.median(), one.to_query, one.to_key) for one in both])\n"
        ),
        y_axis=YAxis(say("scale.length"), log=True, range=(LOWEST, HIGHEST)),
        style=Style(colors=[css(meaning) for meaning in WAYS.values()]),
        height=320,
        alt=say("scale.alt", d_k=d_k),
    )
    show(above, figure)
    said: dict[str, object] = {"d_k": d_k, "times": number(d_k**0.5)}
    for way, divided in zip(WAYS, (True, False)):
        found = measured(d_k, divided, seed)
        said |= {
            f"half_{way}": percent(1 - held_by(found.queries, 0.5), 1),
            f"jacobian_{way}": number(float(found.jacobians.median()), 2),
            f"query_{way}": number(found.to_query, 3),
            f"key_{way}": number(found.to_key, 3),
        }
    chapter.write("scale.measured", **said)
