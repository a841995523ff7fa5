"""Recurrence, convolution and self-attention side by side (paper, section 4 and table 1)."""

from functools import partial

from ui.labs.why_cost import SHORT, cost_lab
from ui.labs.why_measured import measured_lab
from ui.labs.why_path import DISTANCE, path_lab
from ui.labs.why_rivals import rivals_lab
from ui.predict import predict_choice, predict_number
from ui.section import Lab, section
from ui.settings.why_attention import WhyAttention
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("why_attention", WhyAttention)


def path() -> None:
    if predict_number(chapter, "path", **DISTANCE):
        path_lab(chapter)
        chapter.write("path.why")


SECTIONS: dict[str, tuple[Lab, str, str]] = {  # with the words below and the settings that are theirs
    "path": (path, "", "path reach reach_kernel reach_cell"),
    "measured": (partial(measured_lab, chapter), "why", "size way against"),
    "rivals": (partial(rivals_lab, chapter), "why", "updates run_seed seconds trained"),
}

cost_lab(chapter)
chapter.write("see")
if predict_choice(chapter, "short", ("recurrent", "same", "attention"), "attention"):
    chapter.write("cost.why", **SHORT)
for name, (draw, why, owns) in SECTIONS.items():
    section(chapter, name, draw, text="text", why=why, owns=owns)
close_chapter(chapter)
