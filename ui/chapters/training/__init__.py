"""Training, live: to copy, reverse, sort or translate (paper, section 5)."""

from ui.chapters.shared.difference import difference_from
from ui.chapters.training.again import AGAIN
from ui.chapters.training.decode import DECODE
from ui.chapters.training.experiments import EXPERIMENT
from ui.chapters.training.guessing import GUESSING
from ui.chapters.training.own import OWN, take_given
from ui.chapters.training.run import RUN
from ui.chapters.training.runs import RUNS
from ui.chapters.training.steer import take_over
from ui.page.contents import Contents

DIFFERENCE = difference_from("decoder.layers.0.src_attn.weights")
CONTENTS = Contents(
    "training", (RUN, EXPERIMENT, RUNS, DIFFERENCE, DECODE, GUESSING, OWN, AGAIN), first=(take_over, take_given)
)
