"""Noam's learning rate, to be drawn."""

from transformer_core.exercises.drawing import rate
from transformer_core.schedule import noam_rate
from ui.chapters.practice.drawing.asked import DrawingTask, DrawSettings, Goal
from ui.figures import runnable
from ui.figures.sheet import DrawingSheet
from ui.sections import Chapter, provenance

EVERY = 5  # points between two numbers on the axis
QUARTERS = 4


def rate_asked(chapter: Chapter[DrawSettings]) -> DrawingTask:
    say, of = chapter.say, rate.asked(chapter.settings.draw_seed)
    steps = of.x.tolist()
    sheet = DrawingSheet(
        "rate.{}.{}.{}".format(*of),
        "line",
        [say("draw.rate.step", step=step) for step in steps],
        say("draw.rate.x"),
        say("draw.rate.y"),
        0,
        of.top,
        [of.top * quarter / QUARTERS for quarter in range(QUARTERS + 1)],
        marks=[(at, steps[at]) for at in range(0, len(steps), EVERY)],
    )
    return DrawingTask(
        [Goal("draw.rate.goal", of._asdict())],
        sheet,
        lambda: rate.rates(*of)[:, 1],
        lambda drawn, _: rate.judged(of, drawn),
        rate.NEAR * float(rate.rates(*of)[:, 1].max()),
        provenance(f"noam_rate(step, {of.d_model}, 1, {of.warmup})", len(steps)),
        of.x,
        code=(noam_rate,),
        program=runnable(rate.rates, *of, then="[:, 1]", name="truth"),
    )
