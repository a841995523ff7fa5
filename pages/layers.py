"""What surrounds attention: LayerNorm, residual sums, feed-forward, dropout (paper, sections 3.1, 3.3 and 5.4)."""

from collections.abc import Callable
from functools import partial

from ui.chapters.layers.depth import depth_lab
from ui.chapters.layers.dropout import dropout_lab
from ui.chapters.layers.gain import gain_lab
from ui.chapters.layers.init import init_lab
from ui.chapters.layers.linear import linear_lab
from ui.chapters.layers.network import network_lab
from ui.chapters.layers.norm import norm_lab
from ui.chapters.layers.ratio import ratio_lab
from ui.chapters.layers.residual import stream_lab, sum_lab
from ui.chapters.layers.settings import Layers
from ui.chapters.layers.training import training_lab
from ui.chapters.shared.attention_values import typed
from ui.section import Section, sections
from ui.shell import Chapter, close_chapter, open_chapter

chapter = open_chapter("layers", Layers)
sequences = typed(chapter)


def on_it(lab: Callable[..., None]) -> Callable[[Chapter], None]:
    return partial(lab, sequences=sequences)


on_the_sequence = (
    Section("norm", on_it(norm_lab), look="lead", why="text"),
    Section("ratio", on_it(ratio_lab), "ask_norm"),
    Section("sum", on_it(sum_lab), "sum_place sum_from sum_cell", text="text"),
    Section("stream", on_it(stream_lab), "stream stream_cell", text="text"),
    Section("network", on_it(network_lab), "network network_from neuron order position network_cell ask_order",
            text="text"),
    Section("dropout", on_it(dropout_lab), "p seed drop_from drop_cell ask_drop", text="text"),
)  # fmt: skip
on_models = (
    Section("depth", depth_lab, "depth side init depth_seed table depth_cell ask_depth", text="text"),
    Section("train", training_lab, "N warmup train_seed trained", text="text"),
    Section("first", init_lab, "matrix first_seed", text="text"),
    Section("gain", gain_lab, "gain_of gain_seed gain_cell", text="text"),
    Section("linear", linear_lab, "linear_from linear_seed linear_cell", text="text"),
)
sections(chapter, *(on_the_sequence if sequences else ()), *on_models)
close_chapter(chapter)
