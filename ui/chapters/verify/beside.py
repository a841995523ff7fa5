"""The decoder's first attention beside PyTorch's, cell by cell, before anything is asked for; a break shows at once."""

from typing import Any, cast

import numpy as np
import torch

from transformer_core import EncoderDecoder, Trace
from transformer_core.verify.broken import BROKEN, Break
from transformer_core.verify.checks import FLOAT32
from transformer_core.verify.parity import first_attention, torch_attention
from ui.chapters.shared.model_program import model_snippet
from ui.chapters.verify.checks import Checks
from ui.chapters.verify.values import Examined
from ui.figures import Board, Figure, Panel, number
from ui.figures.formula import I, J, Matrix
from ui.model import measured
from ui.sections import AnyChapter, Frame, Section, show
from ui.sections.sequence_fields import typed

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
            place=(0, at),
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
