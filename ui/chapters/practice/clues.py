"""What tells which fault is hidden: the numbers of the model at hand beside those of the healthy one, and a figure."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core import EncoderDecoder
from transformer_core.exercises.faults.attending import attentions
from transformer_core.exercises.faults.evidence import Axis, Evidence, read, statements
from transformer_core.exercises.faults.weights import norms
from transformer_core.exercises.faults.which_fault import FAULTS, drawn, fault_of, spoiled
from ui.chapters.shared.forward.stops import stops
from ui.chapters.shared.model_program import model_snippet
from ui.figures import Board, Figure, Panel
from ui.inputs.sequence import parse
from ui.model import ModelAtHand, answer, measured
from ui.model.current_model import source_of
from ui.sections import Chapter
from ui.settings.fields import CellSetting, Settings, cell

WIDE = 24  # columns of a matrix beside which another one has no room
SIGNED = ("scale", "merge", "root", "positions", "gain")


class OfEvidence(Settings):
    fault_cell: CellSetting = cell()


class Clues(NamedTuple):
    """The model at hand, which hides a fault, while it reads the sentence that its seed means."""

    at_hand: ModelAtHand
    text: str  # of the source
    src: tuple[int, ...]
    given: tuple[int, ...]  # to the decoder

    @property
    def name(self) -> str:
        return fault_of(self.at_hand.fault).name

    def of(self, healthy: bool) -> dict[str, Tensor]:
        """The number of every statement, and below `shown.` what is shown of it."""
        at_hand = self.at_hand.healthy if healthy else self.at_hand
        return measured(at_hand, ("clues", self.src, self.given), self._measure)

    def numbers(self, statement: str) -> tuple[float, float]:
        here, healthy = (float(self.of(one)[statement]) for one in (False, True))
        return here, healthy

    def _measure(self, model: EncoderDecoder) -> dict[str, Tensor]:
        reading = read(model, torch.tensor([self.src]), torch.tensor([self.given]))
        found: dict[str, Tensor] = {}
        for name, one in self.statements.items():
            found |= {name: torch.tensor(one.measured(reading)), f"shown.{name}": one.shown(reading)}
        return found

    @property
    def statements(self) -> dict[str, Evidence]:
        return statements(self.at_hand.config.d_model, self.at_hand.config.h)

    def first_difference(self) -> str:
        return spoiled(self.at_hand.load_whole(), FAULTS[self.name], self.at_hand.fault)[1]

    def walk_to_it(self) -> tuple[str, dict[str, object]]:
        """Where a walk through the model comes to it: the chapter, and what to set there."""
        place = [stop.path for stop in stops(self.at_hand.load_whole(), 2)].index(self.first_difference())
        head = drawn(self.at_hand.fault, "head", self.at_hand.config.h) if self.name == "head" else 0
        return "walkthrough", {"place": place, "turn": 3, "head": head}


def clues_of(at_hand: ModelAtHand, lang: str) -> Clues:
    text = source_of(at_hand.fault, at_hand.run, lang)
    src = parse(text, at_hand.source, len(text))
    return Clues(at_hand, text, src, answer(at_hand.healthy, src)[:-1])


def evidence(chapter: Chapter[OfEvidence], clues: Clues, *, told: bool = True) -> Figure:
    """The values where the fault shows, of the healthy model and of the one at hand; until it is `told` of this
    alone, without a name."""
    say, name = chapter.say, clues.name
    healthy, here = (clues.of(one)[f"shown.{name}"].numpy() for one in (True, False))
    axes = clues.statements[name].axes
    rows, columns = (_labels(clues, axis) for axis in axes)
    down, along = (say(f"fault.axis.{axis}") for axis in axes)
    high = float(max(abs(healthy).max(), abs(here).max()))
    wide = here.shape[1] > WIDE
    panels = [
        Panel(
            key, values, say(f"fault.panel.{key}"), rows, columns, down, along, high=high,
            scale="signed" if name in SIGNED else "magnitude", place=(at, 0) if wide else (0, at),
        )
        for at, (key, values) in enumerate((("healthy", healthy), ("here", here))[0 if told else 1 :])
    ]  # fmt: skip
    shown = (
        f'statements({clues.at_hand.config.d_model}, {clues.at_hand.config.h})["{name}"].shown(read(model, src, tgt))'
    )
    return Figure(
        "evidence",
        Board(panels),
        clues.at_hand.provenance(clues.first_difference(), *here.shape),
        code=[FAULTS[name].spoil, clues.statements[name].measured] if told else (),
        program=(
            f"{model_snippet(clues.at_hand)}from transformer_core.exercises.faults.evidence import read, statements\n\n"
            f"src, tgt = torch.tensor([{list(clues.src)}]), torch.tensor([{list(clues.given)}])\n"
            f"shown = {shown}\nprint(shown)\n"
        )
        if told
        else "",
        alt=say("fault.alt", number=say(f"fault.number.{name}")) if told else say("fault.look"),
    )


def _labels(clues: Clues, axis: Axis) -> Sequence[str]:
    at_hand = clues.at_hand
    match axis:
        case "src":
            return at_hand.source.labels(clues.src)
        case "tgt":
            return at_hand.target.labels(clues.given)
        case "attention":
            return list(attentions(at_hand.load_whole()))
        case "norm":
            return list(norms(at_hand.load_whole()))
        case "token":
            return at_hand.target.every
    return ()
