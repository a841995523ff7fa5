"""Softmax and the scale 1/√d_k (paper, section 3.2.1 and its footnote 4)."""

from functools import partial

from ui.labs.scaling_notes import notes_lab, temperature_lab
from ui.labs.scaling_runs import trial_lab
from ui.labs.scaling_self import self_lab
from ui.labs.scaling_size import draw_again, size_curves, size_lab
from ui.labs.scaling_steps import steps_lab
from ui.predict import predict_choice, predict_number
from ui.section import Lab, section
from ui.settings.scaling import Scaling
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("scaling", Scaling)
say = chapter.say


def size() -> None:
    slips = {"spread.variance": 64.0, "spread.one": 1.0, "spread.square": 4096.0}
    if predict_number(chapter, "spread", 64**0.5, slips):
        draw_again(chapter)
        size_lab(chapter)
        size_curves(chapter)
        chapter.write("size.why")


SECTIONS: dict[str, tuple[Lab, str, str]] = {  # with the words below and the settings that are theirs
    "warm": (partial(temperature_lab, chapter), "", "warm_cell"),
    "size": (size, "", "spread d_k seed few_cell"),
    "self": (partial(self_lab, chapter), "why", "width enlarge divide self_cell"),
    "run": (partial(trial_lab, chapter), "why", "run_heads trained run_seed"),
}

steps_lab(chapter, chapter.settings.scores)
answered = predict_choice(chapter, "sharp", ("same", "ten", "near"), "near")
chapter.write("steps.text")
if answered:
    chapter.section("notes")
    notes_lab(chapter)
    chapter.write("notes.why")
for name, (draw, why, owns) in SECTIONS.items():
    section(chapter, name, draw, text="text", why=why, owns=owns)
close_chapter(chapter)
