"""Where the embeddings lie at the step that is looked at: in a plane, and large in space."""

from functools import cached_property

import numpy as np

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.probing import embedded_of, source_tokens
from ui.chapters.shared.model_program import config_source
from ui.chapters.training.figures.space import Points, TableProjection, plane, principal
from ui.chapters.training.lapse.values import LapseValues
from ui.figures import Figure
from ui.sections import AnyChapter, show

PROGRAM = """import numpy as np
import torch
from transformer_core.training.config import TrainConfig
from transformer_core.training.run import TrainingRun

torch.set_num_threads(1)  # sums come out the same to the last bit only if they are split alike
run, tables = TrainingRun({run}), {{}}
for report in filter(None, run.work()):
    if report.step in ({at}, {last}):
        tables[report.step] = run.look().embedded.astype(float)
    if report.step == {last}:
        break
mean = tables[{last}].mean(axis=0)
axes = np.linalg.svd(tables[{last}] - mean, full_matrices=False)[2][:{axes}]  # the principal components
axes *= np.sign(axes[np.arange({axes}), np.abs(axes).argmax(axis=1)])[:, None]
shown = (tables[{at}] - mean) @ axes.T
print(shown)
"""


class _Space(LapseValues):
    @cached_property
    def projection(self) -> TableProjection:
        """In three dimensions."""
        return principal(self.history.embedded[-1], 3)


def embeddings(chapter: AnyChapter, config: TrainConfig, history: History, at: int) -> None:
    """In the directions in which those of the last record differ most, at every step the same."""
    say, v = chapter.say, _Space(chapter.say, config, history, {})
    table, last = history.embedded[int(np.searchsorted(history.probe_step, at))], int(history.probe_step[-1])
    points, axes = v.projection.of(table), [say("lapse.axis", number=number) for number in (1, 2, 3)]
    ends = np.maximum(np.abs(v.projection.of(history.embedded)).max(axis=(0, 1)), 1e-6)
    shares = {
        name: f"{TableProjection(v.projection.mean, v.projection.axes[:count]).share(table):.0%}"
        for name, count in (("two", 2), ("three", 3))
    }
    groups = say("lapse.watched"), say("lapse.others")
    spanned = int(v.projection.axes.any(axis=1).sum())
    figure = Figure(
        "embedded",
        plane(Points(points, ends, v.tokens, v.watched, groups, axes)),
        f"src_embed.0.lut.weight · {len(v.tokens)} × {table.shape[1]} · step {at} · seed {config.seed}",
        numbers=points[:, :spanned],
        columns=axes[:spanned],
        code=[principal, embedded_of],
        program=PROGRAM.format(run=config_source(config), at=at, last=last, axes=spanned),
        alt=say("lapse.alt", step=at, tokens=len(v.tokens), share=shares["two"]),
    )
    show(chapter, figure)
    chapter.write("lapse.projected", step=last, **shares)
    every = len(source_tokens(config))
    if len(v.tokens) < every:
        chapter.write("lapse.some", tokens=len(v.tokens), all=every)
