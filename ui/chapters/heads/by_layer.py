"""The heads of a model of several layers, a row for each layer."""

from dataclasses import replace

import numpy as np

from transformer_core import MultiHeadedAttention
from ui.chapters.heads.values import every_head, of_every_attention, values_of
from ui.chapters.heads.wall import wall_of
from ui.chapters.shared.depth import on_layers, say_which
from ui.figures import Figure, runnable
from ui.figures.wall import table
from ui.model import recorded
from ui.sections import Chapter, Section, controls, show
from ui.settings.fields import Settings, choice
from ui.settings.shared import KINDS


class ByLayer(Settings):
    layers_of: str = choice("cross", *KINDS)


@Section("by_layer", settings=ByLayer, cell="layer_cell", text="text")
def by_layer(chapter: Chapter[ByLayer]) -> None:
    above = chapter.figure_first()
    kind = controls.choose(chapter, "layers_of")
    deep = on_layers(chapter)
    at_hand, typed = deep.at_hand, deep.typed
    trace = recorded(at_hand, typed.src, typed.given)
    heads = {name: values_of(trace, name, "weights") for name in every_head(at_hand.config) if name.kind == kind}
    board = wall_of(deep, trace, heads, "weights")
    panels = [replace(panel, place=(name.layer, name.head)) for name, panel in zip(heads, board.panels, strict=True)]
    weights = list(heads.values())
    first = KINDS.index(kind) * at_hand.config.N  # of all attentions, those of this kind
    every = f"dict(enumerate(head.numpy() for value in values[{first}:{first + at_hand.config.N}] for head in value))"
    figure = Figure(
        "by_layer",
        replace(board, panels=panels, quiet=False),
        at_hand.provenance("*.layers.*.*_attn.weights", at_hand.config.N, at_hand.config.h),
        numbers=table(heads),
        columns=[chapter.say("wall.query"), chapter.say("wall.key"), *(panel.title for panel in panels)],
        code=[MultiHeadedAttention],
        program=runnable(table, of_every_attention(at_hand, typed, "weights", "heads", every)),
        alt=chapter.say("by_layer.alt", layers=at_hand.config.N, heads=at_hand.config.h),
    )
    show(replace(deep, place=above.place), figure)
    largest = np.array([float(of.max(-1).mean()) for of in weights]).reshape(at_hand.config.N, -1).mean(1)
    said = chapter.shell("comma").join(f"{share:.0%}" for share in largest)
    chapter.write("by_layer.measured", shares=said)
    say_which(chapter, deep)
