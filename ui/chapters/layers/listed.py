"""The sections of the chapter: those on the reader's sequences, then those on models of their own."""

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
from ui.chapters.layers.training import training_lab
from ui.page.lecture import through
from ui.page.section import Section
from ui.reading.sequences import Sequences

DEEPER = (
    Section("first", init_lab, "matrix first_seed", text="text"),
    Section("gain", gain_lab, "gain_of gain_seed gain_cell", text="text"),
    Section("linear", linear_lab, "linear_from linear_seed linear_cell", text="text"),
)
ON_MODELS: tuple[Section, ...] = (
    Section("depth", depth_lab, "depth side init depth_seed table depth_cell ask_depth", text="text"),
    Section("train", training_lab, "N warmup train_seed trained", text="text"),
    Section("deeper", look="open", text="text", parts=DEEPER),
)


def on_sequences(sequences: Sequences) -> tuple[Section, ...]:
    network, dropout = partial(network_lab, sequences=sequences), partial(dropout_lab, sequences=sequences)
    return (
        Section("norm", partial(norm_lab, sequences=sequences), look="lead", why="text", step=through("formula")),
        Section("ratio", partial(ratio_lab, sequences=sequences), "ask_norm"),
        Section("sum", partial(sum_lab, sequences=sequences), "sum_place sum_from sum_cell", text="text"),
        Section("stream", partial(stream_lab, sequences=sequences), "stream stream_cell", text="text"),
        Section("network", network, "network network_from neuron order position network_cell ask_order", text="text"),
        Section("dropout", dropout, "p seed drop_from drop_cell ask_drop", text="text"),
    )
