"""Of every parameter of the model at hand one weight: its gradient beside a difference of the loss."""

from typing import cast

import numpy as np
import streamlit as st

from transformer_core.backward import backward
from transformer_core.verify.broken import Break
from transformer_core.verify.checks import DIFFERENCES
from transformer_core.verify.gradients import sampled
from ui.chapters.shared.model_program import model_snippet
from ui.chapters.verify.checks import Checks
from ui.chapters.verify.values import Examined
from ui.figures import Dots, Figure, Style, XAxis, YAxis, curves, number
from ui.sections import AnyChapter, Frame, Section, show
from ui.sections.sequence_fields import typed
from ui.theme import css

LEAST, MOST = 1e-13, 1.0  # of the axis: an error of 0 stands at its foot, and one beyond its end there


@Section("sampled", reads=(Frame, Checks), text="text")
def every_tensor(chapter: AnyChapter) -> None:
    say, at_hand, src = chapter.say, chapter.at_hand, typed(chapter, "src")
    examined = Examined(at_hand, src, cast(Break, chapter.of(Checks).settings.broken))
    with st.spinner(say("sampled.measuring")):
        found = examined.sampled(at_hand.load())
    numbers = np.array([[one.gradient, one.difference, one.error] for one in found])
    held = numbers[:, 2] <= DIFFERENCES
    places, drawn = np.arange(1.0, len(found) + 1), np.clip(numbers[:, 2], LEAST, MOST)
    written = [
        f"{one.name}[{one.entry}]: {number(one.gradient)}, {number(one.difference)}, {number(one.error, 2)}"
        for one in found
    ]
    dots = {
        say(f"sampled.{name}"): Dots(
            places[these], drawn[these], css(meaning), written=[one for one, here in zip(written, these) if here]
        )
        for name, meaning, these in (("held", "right", held), ("off", "wrong", ~held))
        if these.any()
    }
    picture = curves(
        places,
        {say("tolerance"): np.full(len(places), DIFFERENCES)},
        dots=dots,
        x_axis=XAxis(say("sampled.parameter")),
        y_axis=YAxis(say("error"), log=True, range=(LEAST, MOST)),
        style=Style(colors=[css("quiet")], dashed=[say("tolerance")]),
        height=400,
    )
    figure = Figure(
        "sampled",
        picture,
        at_hand.provenance(f"sampled(model, src, tgt, {examined.how!r})", *numbers.shape),
        numbers=numbers,
        columns=[say("sampled.gradient"), say("sampled.difference"), say("error")],
        code=[sampled, backward],
        program=(
            f"{model_snippet(at_hand)}from transformer_core.verify.gradients import sampled\n\n"
            f"src, tgt = torch.tensor([{list(src)}]), torch.tensor([{list(examined.decoder_input())}])\n"
            f"found = sampled(model, src, tgt, {examined.how!r})\n"
            "shown = torch.tensor([[one.gradient, one.difference, one.error] for one in found], dtype=torch.float64)\n"
            "for one in found:\n    print(one)\n"
        ),
    )
    show(chapter, figure)
    worst = found[int(np.nan_to_num(numbers[:, 2], nan=np.inf).argmax())]
    chapter.write(
        "sampled.all_held" if held.all() else "sampled.some_off",
        count=len(found),
        off=int((~held).sum()),
        worst=number(worst.error, 2),
        name=worst.name,
        tolerance=number(DIFFERENCES, 2),
    )
