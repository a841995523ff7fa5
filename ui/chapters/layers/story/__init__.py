"""Layers told: a strip rides on a belt, sub-layers add to it, LayerNorm sets its size; then the belt is unhooked."""

from ui.chapters.layers.story.belt import attention, belt, network, norm
from ui.chapters.layers.story.inquiry import UNHOOKED
from ui.chapters.layers.story.stream import values
from ui.chapters.layers.story.unhooked import fading, output
from ui.sections.scene import story

STORY = story(values, (belt, attention, norm, network, fading, output), {"network": UNHOOKED})
