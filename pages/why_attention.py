"""Recurrence, convolution and self-attention side by side (paper, section 4 and table 1)."""

from ui.labs.why_cost import SHORT, cost_lab
from ui.labs.why_measured import measured_lab
from ui.labs.why_path import DISTANCE, path_lab
from ui.labs.why_rivals import rivals_lab
from ui.predict import predict_choice, predict_number
from ui.settings.why_attention import WhyAttention
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("why_attention", WhyAttention)

cost_lab(chapter)
chapter.write("see")
if predict_choice(chapter, "short", ("recurrent", "same", "attention"), "attention"):
    chapter.write("cost.why", **SHORT)
chapter.section("path")
if predict_number(chapter, "path", **DISTANCE):
    path_lab(chapter)
    chapter.write("path.why")
chapter.section("measured")
measured_lab(chapter)
chapter.write("measured.why")
chapter.section("rivals")
rivals_lab(chapter)
chapter.write("rivals.why")
close_chapter(chapter)
