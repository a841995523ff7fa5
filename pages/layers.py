"""What surrounds attention: LayerNorm, residual sums, feed-forward, dropout (paper, sections 3.1, 3.3 and 5.4)."""

from ui.labs.attention_values import Sequences, typed
from ui.labs.layers_depth import depth_lab
from ui.labs.layers_dropout import dropout_lab
from ui.labs.layers_init import init_lab
from ui.labs.layers_network import network_lab
from ui.labs.layers_norm import norm_lab
from ui.labs.layers_ratio import ratio_lab
from ui.labs.layers_residual import stream_lab, sum_lab
from ui.labs.layers_training import training_lab
from ui.predict import predict_number
from ui.settings.layers import Layers
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("layers", Layers)
say = chapter.say


def on_the_readers_sequence(sequences: Sequences) -> None:
    norm_lab(chapter, sequences)
    chapter.write("norm.text")
    if predict_number(chapter, "ask_norm", 2**-0.5, {"ask_norm.biased": 1.0, "ask_norm.variance": 0.5}):
        chapter.write("ratio.text")
        ratio_lab(chapter, sequences)
    chapter.section("sum")
    sum_lab(chapter, sequences)
    chapter.section("stream")
    stream_lab(chapter, sequences)
    chapter.section("network")
    network_lab(chapter, sequences)
    chapter.section("dropout")
    dropout_lab(chapter, sequences)


sequences = typed(chapter)
if sequences:
    on_the_readers_sequence(sequences)
chapter.section("depth")
depth_lab(chapter)
chapter.section("train")
training_lab(chapter)
chapter.section("first")
init_lab(chapter)
close_chapter(chapter)
