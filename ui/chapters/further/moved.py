"""Rows that stand further along than any in the training: measured for sinusoids, a learned table and rotation."""

import numpy as np

from transformer_core.training.row_run import row_right
from ui.chapters.further.story import STILL, STORY
from ui.chapters.further.values import COLORS, COUNT, KINDS, MOVED, models_of, moved_program, moved_shares
from ui.figures import Figure, Style, XAxis, YAxis, curves, percent
from ui.sections import AnyChapter, Choice, Section, alone, predict, show
from ui.theme import css

TABLE = Choice("table", ("repeats", "zero", "untrained"), right="untrained")
ASKS = 1  # the scene whose question this figure answers


@Section("moved", look="lead", asks=(TABLE,), reads=(STORY.settings,))
def moved(chapter: AnyChapter) -> None:
    if chapter.of(STORY.settings).settings.scene == ASKS and not chapter.replied(STILL.name) and not alone(chapter):
        chapter.write("moved.waits")
        return
    say, models = chapter.say, models_of(chapter.at_hand)
    table = moved_shares(models)
    names = {kind: say(f"kind.{kind}") for kind in KINDS}
    figure = Figure(
        "moved",
        curves(
            np.array(MOVED), {names[kind]: line for kind, line in zip(KINDS, table[:, 1:].T)},
            x_axis=XAxis(say("places")), y_axis=YAxis(say("share"), range=(0.0, 1.0)),
            style=Style(colors=[css(COLORS[kind]) for kind in KINDS], markers=True), height=340,
        ),
        f"row_right(model, task, moved) · {COUNT} × {len(MOVED)} · seed 0",
        numbers=table,
        columns=[say("places"), *names.values()],
        code=[row_right],
        program=moved_program(models),
    )  # fmt: skip
    show(chapter, figure)
    at = MOVED.index(8)
    chapter.write("moved.said", places=MOVED[at], count=COUNT,
                  **{kind: percent(share, 0) for kind, share in zip(KINDS, table[at, 1:])})  # fmt: skip
    if predict(chapter, TABLE):
        chapter.write("moved.why")
