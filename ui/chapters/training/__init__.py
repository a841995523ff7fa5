"""Training, live: to copy, reverse, sort or translate (paper, section 5)."""

from ui.chapters.shared.difference import difference_from
from ui.chapters.training import again, decode, experiments, own, rows, run, runs, switches, words
from ui.chapters.training.steer import take_over
from ui.sections.contents import Contents

DIFFERENCE = difference_from("decoder.layers.0.src_attn.weights")
CONTENTS = Contents(
    "training",
    (
        run.training_run,
        experiments.experiments,
        runs.runs,
        DIFFERENCE,
        decode.decoded,
        words.guessing,
        rows.rows,
        switches.switches,
        own.own_model,
        again.again,
    ),
    first=(take_over, own.take_given),
)
