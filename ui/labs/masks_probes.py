"""Masks lab: two experiments on the model at hand. Does the future reach the past? Does a padding reach a token?"""

from functools import partial

import streamlit as st
import torch
from torch import Tensor

from transformer_core.probes import CausalityProbe, PaddingProbe, causality_probe, padding_probe
from ui import controls
from ui.caption import caption
from ui.drawing import board
from ui.figures import arithmetic
from ui.figures.board import Panel
from ui.figures.tokens import named
from ui.fragment import fragment
from ui.labs import masks_snippets
from ui.labs.model_snippet import model_snippet
from ui.predict import predict_choice
from ui.recorded import measured
from ui.session import ModelAtHand
from ui.shell import Chapter

LONGEST = 20  # tokens; the causality probe runs the decoder on one changed copy for each


def typed(chapter: Chapter) -> tuple[int, ...] | None:
    """The reader's source, which the causality probe also feeds to the decoder; None once it is said what is wrong."""
    src = controls.sequence(chapter, "src", chapter.at_hand.config.vocab, LONGEST)
    if src is not None and len(src) < 2:
        st.warning(chapter.say("probe_short"))
        return None
    return src


@fragment
def causality_lab(chapter: Chapter, src: tuple[int, ...]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    if not predict_choice(chapter, "future", ("only", "from", "before", "all"), "from"):
        return
    look_ahead = controls.toggle(chapter, "ahead_on")
    probe = causality(at_hand, src, look_ahead)
    changes = [f"{old}→{new}" for old, new in zip(named(src), probe.replaced.tolist())]
    panel = Panel(
        "difference",
        probe.difference.numpy(),
        say("difference"),
        named(src[:-1]),
        changes,
        say("output_axis"),
        say("changed_axis"),
        scale="magnitude",
        print_values=True,
    )
    chosen = board(chapter, "causality", [panel], cell="causal_cell", alt=say("causality.alt")).chosen
    if chosen:
        st.html(largest_change(probe.before[chosen[1]], probe.after[chosen[2], chosen[1]]))
    future = probe.difference.triu(1)
    count, pairs = int((future != 0).sum()), len(changes) * (len(changes) - 1) // 2
    outcome = "single" if not pairs else "open" if count else "masked"
    chapter.write(f"causality.{outcome}", count=count, pairs=pairs, largest=arithmetic.number(float(future.max())))
    caption(
        chapter,
        "causality",
        at_hand.provenance("decoder.output", *probe.before.shape),
        numbers=probe.difference.numpy(),
        columns=changes,
        code=[causality_probe],
        snippet=model_snippet(at_hand) + masks_snippets.causality(src, look_ahead),
    )


@fragment
def padding_probe_lab(chapter: Chapter, src: tuple[int, ...]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    most = controls.slider(chapter, "paddings")
    probes = {name: drift(at_hand, src, most, name == "with") for name in ("with", "without")}
    largest = max(float(probe.difference.max()) for probe in probes.values())  # rounding is to look like rounding
    panels = [
        Panel(
            name,
            probe.difference.numpy(),
            say(f"drift.{name}"),
            named(src),
            [str(count) for count in range(1, most + 1)],
            say("token_axis"),
            say("paddings_axis"),
            scale="magnitude",
            high=largest,
            place=(0, at),
        )
        for at, (name, probe) in enumerate(probes.items())
    ]
    chosen = board(chapter, "drift", panels, cell="drift_cell", alt=say("drift.alt")).chosen
    if chosen:
        probe = probes[chosen[0]]
        st.html(largest_change(probe.before[chosen[1]], probe.after[chosen[2], chosen[1]]))
    most_moved = {name: arithmetic.number(float(probe.difference.max()), 2) for name, probe in probes.items()}
    chapter.write("drift.outcome", masked=most_moved["with"], open=most_moved["without"])
    caption(
        chapter,
        "drift",
        at_hand.provenance("encoder.output", *probes["with"].before.shape),
        numbers=probes["without"].difference.numpy(),
        columns=panels[0].col_labels,
        code=[padding_probe],
        snippet=model_snippet(at_hand) + masks_snippets.drift(src, most),
    )


def causality(at_hand: ModelAtHand, src: tuple[int, ...], look_ahead: bool) -> CausalityProbe:
    """On a model of the notes' size it takes half a second."""
    source = torch.tensor([src])
    probe = partial(causality_probe, at_hand.model, source, source[:, :-1], look_ahead=look_ahead)
    return CausalityProbe(**measured(at_hand, ("causality", src, look_ahead), lambda: probe()._asdict()))


def drift(at_hand: ModelAtHand, src: tuple[int, ...], most: int, masked: bool) -> PaddingProbe:
    probe = partial(padding_probe, at_hand.model, torch.tensor([src]), most, masked=masked)
    return PaddingProbe(**measured(at_hand, ("drift", src, most, masked), lambda: probe()._asdict()))


def largest_change(before: Tensor, after: Tensor) -> str:
    """Where in its d_model dimensions an output has changed most, with the two numbers."""
    at = int((after - before).abs().argmax())
    old, new = float(before[at]), float(after[at])
    sides = [
        "max<sub>d</sub> |y′<sub>d</sub> − y<sub>d</sub>|",
        f"|{arithmetic.operand(new, digits=4)} − {arithmetic.operand(old, digits=4)}| <small>(d = {at})</small>",
    ]
    return arithmetic.equation("|Δy|", *sides, result=float((after - before)[at].abs()))
