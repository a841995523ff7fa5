"""What surrounds attention: LayerNorm, residual sums, feed-forward, dropout (paper, sections 3.1, 3.3 and 5.4)."""

from functools import partial

from ui.labs.attention_values import Sequences, typed
from ui.labs.layers_depth import depth_lab
from ui.labs.layers_dropout import dropout_lab
from ui.labs.layers_gain import gain_lab
from ui.labs.layers_init import init_lab
from ui.labs.layers_linear import linear_lab
from ui.labs.layers_network import network_lab
from ui.labs.layers_norm import norm_lab
from ui.labs.layers_ratio import ratio_lab
from ui.labs.layers_residual import stream_lab, sum_lab
from ui.labs.layers_training import training_lab
from ui.predict import predict_number
from ui.section import Lab, section
from ui.settings.layers import Layers
from ui.shell import close_chapter, open_chapter

ON_IT: dict[str, tuple[Lab, str]] = {  # on the reader's sequence, with the settings that are theirs
    "sum": (sum_lab, "sum_place sum_from sum_cell"),
    "stream": (stream_lab, "stream stream_cell"),
    "network": (network_lab, "network network_from neuron order position network_cell ask_order"),
    "dropout": (dropout_lab, "p seed drop_from drop_cell ask_drop"),
}
ON_MODELS: dict[str, tuple[Lab, str]] = {
    "depth": (depth_lab, "depth side init depth_seed table depth_cell ask_depth"),
    "train": (training_lab, "N warmup train_seed trained"),
    "first": (init_lab, "matrix first_seed"),
    "gain": (gain_lab, "gain_of gain_seed gain_cell"),
    "linear": (linear_lab, "linear_from linear_seed linear_cell"),
}

chapter = open_chapter("layers", Layers)
say = chapter.say


def on_the_readers_sequence(sequences: Sequences) -> None:
    norm_lab(chapter, sequences)
    chapter.write("norm.text")
    section(chapter, "ratio", partial(ratio, sequences), owns="ask_norm")
    for name, (lab, owns) in ON_IT.items():
        section(chapter, name, partial(lab, chapter, sequences), text="text", owns=owns)


def ratio(sequences: Sequences) -> None:
    if predict_number(chapter, "ask_norm", 2**-0.5, {"ask_norm.biased": 1.0, "ask_norm.variance": 0.5}):
        chapter.write("ratio.text")
        ratio_lab(chapter, sequences)


sequences = typed(chapter)
if sequences:
    on_the_readers_sequence(sequences)
for name, (lab, owns) in ON_MODELS.items():
    section(chapter, name, partial(lab, chapter), text="text", owns=owns)
close_chapter(chapter)
