"""Curves to be drawn: Noam's learning rate, and a wave of the position code."""

from transformer_core.exercises.drawing import rate, wave
from transformer_core.positions import frequencies, position_code, position_steps
from transformer_core.schedule import noam_rate
from ui.chapters.practice.drawing.asked import DrawingTask, DrawSettings, Goal
from ui.figures import number, runnable
from ui.figures.sheet import DrawingSheet
from ui.sections import Chapter, provenance

EVERY_RATE = 5  # points between two numbers on the axis
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
        marks=[(at, steps[at]) for at in range(0, len(steps), EVERY_RATE)],
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


# A wave of the position code, to be drawn.

EVERY_POSITION = 4  # positions between two numbers on the axis
GRID = (-1, -0.5, 0, 0.5, 1)


def wave_asked(chapter: Chapter[DrawSettings]) -> DrawingTask:
    say, of = chapter.say, wave.asked(chapter.settings.draw_seed)
    over_positions = of.over == "positions"
    every, name = (EVERY_POSITION, "position") if over_positions else (1, "dimension")
    values = {"d_model": of.d_model, "at": of.at, "last": len(of.x) - 1}
    if over_positions:
        values |= {"pair": of.pair}
    sheet = DrawingSheet(
        "wave.{}.{}.{}".format(*of),
        "line" if over_positions else "stems",
        [say(f"draw.wave.{name}", at=at) for at in of.x.tolist()],
        say(f"draw.wave.x.{of.over}"),
        "PE",
        -1,
        1,
        GRID,
        marks=[(at, at) for at in of.x.tolist()[::every]],
    )
    shape = ("", str(of.at)) if over_positions else (str(of.at), "")
    place = ", ".join(part or ":" for part in shape)
    return DrawingTask(
        [Goal(f"draw.wave.goal.{of.over}", values)],
        sheet,
        lambda: wave.code_of(*of).double().numpy(),
        lambda drawn, _: wave.judged(of, drawn),
        wave.NEAR,
        provenance(f"position_code({wave.LENGTH}, {of.d_model})[{place}]", len(of.x)),
        of.x,
        code=(wave.code_of, position_code, position_steps, frequencies),
        program=runnable(wave.code_of, *of, name="truth"),
        said=lambda cause: (
            {name: number(value, 3) for name, value in cause.values.items()}
            | {"pair": of.pair, "at_zero": 1 if of.at % 2 else 0}
        ),
    )
