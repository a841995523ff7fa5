"""The decoder's first attention beside PyTorch's, cell by cell; a model built from `torch.nn`, explained."""

from functools import partial
from typing import Any, cast

import numpy as np
import streamlit as st
import torch

from transformer_core import EncoderDecoder, Trace, explain
from transformer_core.verify.broken import BROKEN, Break
from transformer_core.verify.checks import FLOAT32
from transformer_core.verify.parity import first_attention, torch_attention
from transformer_core.verify.samples import gap, worst
from transformer_core.verify.torch_model import TorchModel
from ui.chapters.shared.attention_values import head_of, names_of, path
from ui.chapters.shared.model_program import model_snippet
from ui.chapters.verify.checks import Checks
from ui.chapters.verify.values import Examined
from ui.figures import Board, Figure, Panel, number, stages
from ui.figures.formula import I, J, Matrix
from ui.inputs.sequence import TypedSequences, shifted
from ui.model import answer, measured, recorded
from ui.sections import AnyChapter, Chapter, Frame, Section, controls, show
from ui.sections.sequence_fields import typed
from ui.settings.fields import Settings, whole
from ui.text import Words

HEAD = 0
PROGRAM = """from transformer_core.verify.parity import first_attention

src, tgt = torch.tensor([{src}]), torch.tensor([{tgt}])
ours, theirs = (weights[{head}].double() for weights in first_attention(model, src, tgt, {how!r}))
shown = torch.cat([ours, theirs, ours - theirs])
print(shown)
"""


@Section("beside", cell="beside_cell=difference.0.0", reads=(Frame, Checks), look="lead")
def beside(chapter: AnyChapter) -> None:
    say, at_hand, src = chapter.say, chapter.at_hand, typed(chapter, "src")
    how = cast(Break, chapter.of(Checks).settings.broken)  # the setting has these options and no other
    tgt = Examined(at_hand, src, how).decoder_input()

    def both(model: EncoderDecoder) -> Trace:
        return first_attention(model, torch.tensor([src]), torch.tensor([tgt]), how)._asdict()

    weights = measured(at_hand, ("beside", src, how), both)
    found = {name: value[HEAD].double().numpy() for name, value in weights.items()}
    found["difference"] = found["ours"] - found["theirs"]
    names = at_hand.target.labels(tgt)
    formula = Matrix("ours")[I, J] - Matrix("theirs")[I, J]
    panels = [
        Panel(
            name,
            values,
            say(f"beside.{name}"),
            names,
            names,
            say("beside.row"),
            say("beside.column"),
            scale="signed" if name == "difference" else "probability",
            high=1.0 if name == "difference" else None,  # on the scale of the weights, noise has no colour
            beside=at > 0,
            digits=2,
            print_values=True,
            made=formula if name == "difference" else None,
        )
        for at, (name, values) in enumerate(found.items())
    ]
    figure = Figure(
        "beside",
        Board(panels),
        at_hand.provenance("decoder.layers.0.self_attn.weights", *found["ours"].shape, head=HEAD),
        numbers=np.vstack(list(found.values())),
        columns=names,
        code=[first_attention, torch_attention, *([BROKEN[how]] if how != "none" else [])],
        program=model_snippet(at_hand) + PROGRAM.format(src=list(src), tgt=list(tgt), head=HEAD, how=how),
    )
    show(chapter, figure)
    error = float(np.abs(found["difference"]).max())
    told: dict[str, Any] = {"error": number(error, 2), "tolerance": number(FLOAT32, 2), "count": found["ours"].size}
    chapter.write("beside.same" if error <= FLOAT32 else "beside.apart", **told)


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
        program=(
            f"{model_snippet(at_hand)}from transformer_core.verify.torch_model import TorchModel\n\n"
            "your_model = TorchModel(model)\n"
            f"source, target = torch.tensor([{list(sequences.src)}]), torch.tensor([{list(sequences.given)}])\n"
            f"{CALL}"
            f"shown = explanation.trace['{path(CROSS, layer)}.weights'][0, {head}]\nprint(shown)\n"
        ),
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
