"""A model built from `torch.nn`, explained: one head of it, as the chapter on attention draws one of ours."""

from functools import partial

import streamlit as st
import torch

from transformer_core import EncoderDecoder, Trace, explain
from transformer_core.verify.checks import FLOAT32
from transformer_core.verify.samples import gap, worst
from transformer_core.verify.torch_model import TorchModel
from ui.chapters.shared.attention_values import head_of, names_of, path
from ui.chapters.shared.model_program import model_snippet
from ui.figures import Figure, number, stages
from ui.inputs.sequences import TypedSequences, shifted
from ui.model import ModelAtHand, answer, measured, recorded
from ui.sections import AnyChapter, Chapter, Frame, Section, controls, show
from ui.sections.sequence_fields import typed
from ui.settings.fields import Settings, whole
from ui.text import Words

CROSS = "cross"
CALL = "from transformer_core import explain\n\nexplanation = explain(your_model, source, target)\n"
DRAWN = 'explanation.weights("decoder", layer={layer})\n'


class OwnModelSettings(Settings):
    own_layer: int = whole(0, 0, 5)
    own_head: int = whole(0, 0, 15)


@Section("own", settings=OwnModelSettings, cell="own_cell=weights.3.4", reads=(Frame,), text="text", why="why")
def own(chapter: Chapter[OwnModelSettings]) -> None:
    say, words, at_hand = chapter.say, Words("attention", chapter.lang), chapter.at_hand
    src = typed(chapter, "src")
    sequences = shifted(src, answer(at_hand, src), at_hand.config.vocabularies)
    with st.container(horizontal=True):
        layer = controls.number_of(chapter, "own_layer", at_hand.config.N)
        head = controls.number_of(chapter, "own_head", at_hand.config.h)
    st.code(CALL + DRAWN.format(layer=layer), language="python")
    try:
        trace = measured(at_hand, ("explained", sequences.src, sequences.given), partial(_explained, sequences))
    except ValueError:
        st.warning(say("own.refused"))
        return
    _compared(chapter, sequences, trace)
    values = head_of(trace, CROSS, layer, head, sequences)
    titles = {panel: words(f"panel.{panel}") for line in stages.LINES["weights"] for panel in line}
    figure = Figure(
        "own",
        stages.board(values, names_of(words, CROSS, sequences, titles), "weights", cell="own_cell"),
        at_hand.provenance(f"{path(CROSS, layer)}.weights", *values.weights.shape, head=head),
        code=(explain, TorchModel),
        program=_program(at_hand, sequences, layer, head),
    )
    show(chapter, figure)


def _explained(sequences: TypedSequences, whole: EncoderDecoder) -> Trace:
    """What there is of attention in an `nn.Transformer` with the weights of the model at hand."""
    model = TorchModel(whole)
    trace = explain(model, torch.tensor([sequences.src]), torch.tensor([sequences.given])).trace
    return {name: value for name, value in trace.items() if "_attn." in name}


def _compared(chapter: AnyChapter, sequences: TypedSequences, trace: Trace) -> None:
    ours = recorded(chapter.at_hand, sequences.src, sequences.given)
    weights = [name for name in trace if name.endswith("_attn.weights")]
    error = worst(gap(trace[name], ours[name]) for name in weights)
    count = sum(trace[name].numel() for name in weights)
    chapter.write("own.same", count=count, error=number(error, 2), tolerance=number(FLOAT32, 2))


def _program(at_hand: ModelAtHand, sequences: TypedSequences, layer: int, head: int) -> str:
    return (
        f"{model_snippet(at_hand)}from transformer_core.verify.torch_model import TorchModel\n\n"
        "your_model = TorchModel(model)\n"
        f"source, target = torch.tensor([{list(sequences.src)}]), torch.tensor([{list(sequences.given)}])\n"
        f"{CALL}"
        f"shown = explanation.trace['{path(CROSS, layer)}.weights'][0, {head}]\nprint(shown)\n"
    )
