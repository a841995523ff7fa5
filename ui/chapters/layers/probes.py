"""What a linear probe reads from the encoder's vectors, layer by layer."""

from functools import partial

import numpy as np
import torch
from torch import Tensor

from transformer_core.experiments.layer_probes import LABELS, LayerProbes, layer_probes
from transformer_core.tasks.copy_task import copy_sequences
from ui.chapters.shared.model_program import model_snippet, task_snippet
from ui.figures import Board, Figure, Operand, Panel
from ui.figures.formula import I, J, Matrix, Number
from ui.model import ModelAtHand, made
from ui.sections import AnyChapter, Section, show

SEQUENCES = 400
FEWEST = 40  # of a reader's own pairs


@Section("probes", cell="probes_cell", text="text")
def probes(chapter: AnyChapter) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    src = _sequences(at_hand)
    if len(src) < FEWEST:
        chapter.write("probes.few", count=len(src), fewest=FEWEST)
        return
    found: LayerProbes = made(at_hand, ("probes", len(src)), partial(layer_probes, src=src))
    counts = torch.cat([found.right, found.guessed[None]])
    shares = (counts.double() / found.tokens).numpy()
    layers = range(at_hand.config.N)
    panel = Panel(
        "read",
        shares,
        say("probes.read"),
        [say("probes.start"), *(say("probes.layer", n=n) for n in layers), say("probes.guess")],
        [say(f"probes.{label}") for label in LABELS],
        scale="probability",
        print_values=True,
        symbol="p",
        made=Matrix("right")[I, J] / Number(found.tokens, "n"),
    )
    figure = Figure(
        "probes",
        Board([panel], [Operand("right", counts.numpy().astype(np.float64), "r")]),
        at_hand.provenance(f"layer_probes(model, src[:{len(src)}])", *shares.shape),
        code=(layer_probes,),
        program=(
            f"{model_snippet(at_hand)}from transformer_core.experiments.layer_probes import layer_probes\n"
            f"{_program(at_hand)}"
            "found = layer_probes(model.eval(), src)\n"
            "shown = torch.cat([found.right, found.guessed[None]]) / found.tokens\nprint(shown)\n"
        ),
        alt=say("probes.alt"),
    )
    show(chapter, figure)
    word, before = (LABELS.index(label) for label in ("word", "before"))
    told = {
        f"{label}_{when}": f"{shares[row, at]:.0%}"
        for label, at in (("word", word), ("before", before))
        for when, row in (("first", 0), ("last", len(layers)))
    }
    chapter.write("probes.measured", **told)


def _sequences(at_hand: ModelAtHand) -> Tensor:
    """Sources that the model was not trained on; of numbers random ones of its length."""
    if at_hand.words is not None:
        return at_hand.words.held_out(SEQUENCES).src
    generator = torch.Generator().manual_seed(0)
    return copy_sequences(at_hand.config.vocab, SEQUENCES, at_hand.config.length, generator=generator)


def _program(at_hand: ModelAtHand) -> str:
    """The same sources in `src`."""
    if at_hand.words is None:
        return (
            "from transformer_core.tasks.copy_task import copy_sequences\n\n"
            f"generator = torch.Generator().manual_seed(0)\n"
            f"src = copy_sequences({at_hand.config.vocab}, {SEQUENCES}, {at_hand.config.length}, generator=generator)\n"
        )
    return f"{task_snippet(at_hand)}src = task.held_out({SEQUENCES}).src\n"
