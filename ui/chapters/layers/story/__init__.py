"""Layers told: a strip rides on a belt, sub-layers add to it, LayerNorm sets its size; then the belt is unhooked."""

from ui.chapters.layers.story.belt import attention, belt, network, norm
from ui.chapters.layers.story.inquiry import UNHOOKED
from ui.chapters.layers.story.stream import values
from ui.chapters.layers.story.unhooked import fading, output
from ui.page.story import Scene, Story

STORY = Story(
    values,
    (
        Scene("belt", belt),
        Scene("attention", attention),
        Scene("norm", norm),
        Scene("network", network, asks=UNHOOKED),
        Scene("fading", fading),
        Scene("output", output),
    ),
).section()
