"""A wave of the position code, to be drawn."""

from transformer_core.exercises.drawing import wave
from transformer_core.positions import frequencies, position_code, position_steps
from ui.chapters.practice.drawing.asked import DrawingTask, DrawSettings, Goal
from ui.figures import number, runnable
from ui.figures.sheet import DrawingSheet
from ui.sections import Chapter, provenance

EVERY = 4  # positions between two numbers on the axis
GRID = (-1, -0.5, 0, 0.5, 1)


def wave_asked(chapter: Chapter[DrawSettings]) -> DrawingTask:
    say, of = chapter.say, wave.asked(chapter.settings.draw_seed)
    over_positions = of.over == "positions"
    every, name = (EVERY, "position") if over_positions else (1, "dimension")
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
