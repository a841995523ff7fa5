"""Two experiments on the model at hand. Does the future reach the past? Does a padding reach a token?"""

import streamlit as st
import torch

from transformer_core import EncoderDecoder, Trace
from transformer_core.experiments.probes import CausalityProbe, PaddingProbe, causality_probe, padding_probe
from ui.chapters.shared.attention_values import numbered
from ui.chapters.shared.model_program import model_snippet
from ui.figures import Board, Figure, Operand, Panel, number
from ui.figures.formula import CELL, Formula, I, K, Matrix, absolute, largest
from ui.model import ModelAtHand, answer, measured
from ui.sections import Chapter, Choice, Frame, Section, controls, fragment, predict, sequence, show
from ui.settings.fields import CellSetting, Settings, cell, flag, whole

LONGEST = 20  # tokens; the causality probe runs the decoder on one changed copy for each

FUTURE = Choice("future", ("only", "from", "before", "all"), right="from")


class Probes(Settings):
    ahead_on: bool = flag(True)
    causal_cell: CellSetting = cell()
    paddings: int = whole(8, 1, 16)
    drift_cell: CellSetting = cell()


@Section("probes", settings=Probes, reads=(Frame,), types=("src",), text="text", asks=(FUTURE,))
def probes(chapter: Chapter[Probes]) -> None:
    """With the reader's source, whose target the causality probe feeds to the decoder."""
    src = sequence(chapter, "src", longest=LONGEST)
    if len(src) < 2:
        st.warning(chapter.say("probe_short"))
        return
    chapter.section("causality")
    causality_lab(chapter, src)
    chapter.section("drift")
    padding_probe_lab(chapter, src)


@fragment
def causality_lab(chapter: Chapter[Probes], src: tuple[int, ...]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    if not predict(chapter, FUTURE):
        return
    look_ahead = controls.toggle(chapter, "ahead_on")
    given = answer(at_hand, src)[:-1]
    probe = causality(at_hand, src, given, look_ahead)
    tokens, others = at_hand.target.labels(given), at_hand.target.every
    changes = [f"{old}→{others[new]}" for old, new in zip(tokens, probe.replaced.tolist())]
    made, operands = changed("output", probe)
    panel = Panel(
        "difference",
        probe.difference.numpy(),
        say("difference"),
        tokens,
        changes,
        say("output_axis"),
        say("changed_axis"),
        scale="magnitude",
        symbol="Δ",
        print_values=True,
        made=made,
    )
    figure = Figure(
        "causality",
        Board([panel], operands, cell="causal_cell"),
        at_hand.provenance("decoder.output", *probe.before.shape),
        columns=changes,
        code=[causality_probe],
        program=f"""{model_snippet(at_hand)}from transformer_core.experiments.probes import causality_probe

src, tgt = torch.tensor([{list(src)}]), torch.tensor([{list(given)}])
shown = causality_probe(model, src, tgt, look_ahead={look_ahead}).difference
print(shown)""",
    )
    show(chapter, figure)
    future = probe.difference.triu(1)
    count, pairs = int((future != 0).sum()), len(changes) * (len(changes) - 1) // 2
    outcome = "single" if not pairs else "open" if count else "masked"
    chapter.write(f"causality.{outcome}", count=count, pairs=pairs, largest=number(float(future.max())))


@fragment
def padding_probe_lab(chapter: Chapter[Probes], src: tuple[int, ...]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    most = controls.slider(chapter, "paddings")
    probes = {name: drift(at_hand, src, most, name == "with") for name in ("with", "without")}
    highest = max(float(probe.difference.max()) for probe in probes.values())  # rounding is to look like rounding
    counts = numbered(most + 1)[1:]
    panels: list[Panel] = []
    operands: list[Operand] = []
    for at, (name, probe) in enumerate(probes.items()):
        made, outputs = changed(name, probe)
        operands += outputs
        panels.append(
            Panel(
                name,
                probe.difference.numpy(),
                say(f"drift.{name}"),
                chapter.at_hand.source.labels(src),
                counts,
                say("token_axis"),
                say("paddings_axis"),
                scale="magnitude",
                high=highest,
                symbol="Δ",
                place=(0, at),
                made=made,
            )
        )
    figure = Figure(
        "drift",
        Board(panels, operands, cell="drift_cell"),
        at_hand.provenance("encoder.output", *probes["with"].before.shape),
        columns=counts,
        code=[padding_probe],
        program=f"""{model_snippet(at_hand)}from transformer_core.experiments.probes import padding_probe

src = torch.tensor([{list(src)}])
masked = padding_probe(model, src, {most}).difference
print(masked.max())
shown = padding_probe(model, src, {most}, masked=False).difference
print(shown)""",
    )
    show(chapter, figure)
    most_moved = {name: number(float(probe.difference.max()), 2) for name, probe in probes.items()}
    chapter.write("drift.outcome", masked=most_moved["with"], open=most_moved["without"])


def changed(name: str, probe: CausalityProbe | PaddingProbe) -> tuple[Formula, list[Operand]]:
    """The largest change of output i over its dimensions: y is the output before, y′ what each cell's change makes."""
    before, after = f"{name}_before", f"{name}_after"
    of_cells = probe.after.transpose(0, 1).flatten(0, 1)  # (rows x columns, d_model), in reading order
    change = absolute(Matrix(after)[CELL, K] - Matrix(before)[I, K])
    operands = [Operand(after, of_cells.numpy(), "y′"), Operand(before, probe.before.numpy(), "y")]
    return largest(K, of_cells.size(1), change), operands


def causality(at_hand: ModelAtHand, src: tuple[int, ...], given: tuple[int, ...], look_ahead: bool) -> CausalityProbe:
    """On a model of the notes' size it takes half a second."""
    sequences = torch.tensor([src]), torch.tensor([given])

    def probe(model: EncoderDecoder) -> Trace:
        return causality_probe(model, *sequences, look_ahead=look_ahead)._asdict()

    return CausalityProbe(**measured(at_hand, ("causality", src, given, look_ahead), probe))


def drift(at_hand: ModelAtHand, src: tuple[int, ...], most: int, masked: bool) -> PaddingProbe:
    def probe(model: EncoderDecoder) -> Trace:
        return padding_probe(model, torch.tensor([src]), most, masked=masked)._asdict()

    return PaddingProbe(**measured(at_hand, ("drift", src, most, masked), probe))
