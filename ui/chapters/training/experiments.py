"""Experiments of one press: what comes of a run with one thing changed? The reader says, then both are trained."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
import torch

from transformer_core import Batch, EncoderDecoder, Trace, record
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import floor_of, guess_of
from transformer_core.training.probing import probe_of
from ui import state
from ui.chapters.shared.model_program import model_snippet
from ui.chapters.training.controls import take
from ui.chapters.training.race import differing, known, race, told
from ui.chapters.training.recipe import Recipe, ShownRunSettings
from ui.chapters.training.steer import to_the_end
from ui.chapters.training.values import pace
from ui.figures import Board, Figure, Panel, number
from ui.model import ModelAtHand, measured
from ui.sections import AnyChapter, Choice, Section, controls, fragment, predict, show
from ui.sections.question import reply_setting
from ui.session import session
from ui.settings.composed import composed
from ui.settings.fields import CellSetting, Settings, cell, choice
from ui.training_service.earlier_runs import EarlierRun

PROGRAM = """from transformer_core import Batch, record

src, tgt = torch.tensor([{source}]), torch.tensor([{target}])
batch = Batch(src, tgt, look_ahead=False)
with torch.no_grad(), record(model) as trace:
    model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
shown = torch.cat([trace[f'decoder.layers.{{layer}}.self_attn.weights'][0] for layer in range({layers})]).flatten(0, 1)
print(shown)
"""


def peeking(chapter: AnyChapter, config: TrainConfig, step: int) -> None:
    """The decoder's self-attention as it was trained, with no mask but that of padding, on what the run watches."""
    at_hand = ModelAtHand("run", config, step, config.seed)
    source = probe_of(config)
    target = tuple(config.answer(source) or ())

    def look(model: EncoderDecoder) -> Trace:
        batch = Batch(torch.tensor([source]), torch.tensor([target]), look_ahead=False)
        with torch.inference_mode(), record(model) as trace:
            model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        return {str(n): trace[f"decoder.layers.{n}.self_attn.weights"][0] for n in range(config.N)}

    layers = measured(at_hand, ("peeking", source), look)
    maps = np.stack([layers[str(n)].numpy() for n in range(config.N)])  # (N, h, T, T)
    names = config.vocabularies[1].labels(target[:-1])
    figure = Figure(
        "peeking",
        Board(
            [_panel(chapter, maps, names, n, head) for n in range(config.N) for head in range(config.h)],
            cell="peek_cell",
        ),
        at_hand.provenance("decoder.layers.*.self_attn.weights", *maps.shape),
        numbers=maps.reshape(-1, len(names)),
        columns=names,
        code=[Batch],
        program=model_snippet(at_hand) + PROGRAM.format(source=list(source), target=list(target), layers=config.N),
        alt=chapter.say("peeking.alt", heads=config.N * config.h),
    )
    show(chapter, figure)
    shares = np.diagonal(maps, 1, axis1=2, axis2=3).mean(-1)  # (N, h)
    layer, head = np.unravel_index(shares.argmax(), shares.shape)
    even = number(1 / len(names), 2)
    chapter.write("peeking.told", layer=layer, head=head, share=number(float(shares.max()), 2), even=even)


def _panel(chapter: AnyChapter, maps: np.ndarray, names: list[str], layer: int, head: int) -> Panel:
    return Panel(
        f"peeking.{layer}.{head}",
        maps[layer, head],
        chapter.say("label.map", layer=layer, head=head),
        names,
        names,
        chapter.say("peeking.row"),
        chapter.say("peeking.column"),
        scale="probability",
        place=(layer, head),
        wall=maps.shape[1],
        meaning="decoder",
    )


ALMOST = 0.9  # share of sequences from which on a task counts as learned


def learns(past: EarlierRun) -> bool:
    return (past.last_match or 0.0) > ALMOST


def fails(past: EarlierRun) -> bool:
    return (past.last_match or 0.0) < 1 - ALMOST


def later(base: EarlierRun, changed: EarlierRun) -> bool:
    """It needs more steps, if it learns at all."""
    if base.learned is None:
        return False
    return changed.learned is None or changed.learned.step > base.learned.step


@dataclass(frozen=True)
class Experiment:
    """`changes` are made to the recipe of copying, which `base` has changed already. The options of its question, the
    right one, and whether two finished runs bear that out: on the seeds measured they always did."""

    changes: Mapping[str, Any]
    options: tuple[str, ...]
    right: str
    borne_out: Callable[[EarlierRun, EarlierRun], bool]
    base: Mapping[str, Any] = field(default_factory=dict)

    def pair(self, seed: int) -> tuple[TrainConfig, TrainConfig]:
        """The run as it would be, and with the change."""
        base = TrainConfig.of_task("copy", seed=seed, **self.base)
        return base, replace(base, **self.changes)


USUAL = TrainConfig()
EXPERIMENTS: dict[str, Experiment] = {
    "scale": Experiment({"scale": False}, ("same", "sooner", "later"), "later", later, {"h": 1}),
    "positions": Experiment(
        {"positions": False},
        ("same", "bag", "guess"),
        "bag",
        lambda a, b: learns(a) and fails(b) and _below(b, guess_of(b.config)),
    ),
    "learned_positions": Experiment(
        {"learned_positions": True}, ("well", "part", "bag"), "well", lambda a, b: learns(a) and learns(b)
    ),
    "tied": Experiment(
        {"tied": True}, ("later", "same", "never"), "later", lambda a, b: learns(a) and learns(b) and later(a, b)
    ),
    "look_ahead": Experiment(
        {"look_ahead": False},
        ("cheat", "both", "neither"),
        "cheat",
        lambda a, b: learns(a) and fails(b) and _below(b, 0.1),
    ),
    "deep": Experiment({"norm_first": False}, ("sooner", "same", "later"), "later", later, {"N": 4, "steps": 300}),
    "heads": Experiment({"h": 1}, ("never", "well", "quarter"), "well", lambda a, b: learns(a) and learns(b)),
    "rate": Experiment({"rate": 10 * USUAL.rate}, ("sooner", "later", "explodes"), "later", later),
    "random": Experiment(
        {"noise": 1.0},
        ("heart", "guess", "worse"),
        "guess",
        lambda a, b: learns(a) and fails(b) and abs((b.last_loss or 0.0) - guess_of(b.config)) < 0.05,
    ),
    "half": Experiment(
        {"batches": USUAL.steps // 2}, ("half", "none", "same"), "same", lambda a, b: learns(a) and learns(b)
    ),
    "wrong": Experiment(
        {"noise": 0.2}, ("all", "some", "none"), "all", lambda a, b: learns(a) and learns(b) and not _below(b, 0.5)
    ),
}
QUESTIONS = {name: Choice(f"try_{name}", one.options, one.right) for name, one in EXPERIMENTS.items()}


def _below(past: EarlierRun, loss: float) -> bool:
    return past.last_loss is not None and past.last_loss < loss


class ExperimentSettings(Settings):
    experiment: str = choice("look_ahead", *EXPERIMENTS)
    peek_cell: CellSetting = cell()


# The replies are asked for here and not by the section: they are told about once the runs have ended.
REPLIES = [reply_setting(question.name, True) for question in QUESTIONS.values()]
Experiments = composed("Experiments", [ExperimentSettings, *REPLIES])


@Section("try", settings=Experiments, reads=(Recipe,), sets=(ShownRunSettings,), look="open", text="text", whole=True)
def experiments(chapter: AnyChapter) -> None:
    name = controls.choose(chapter, "experiment", titled=False)
    base, changed = shown_pair(chapter)
    over = _over(base, changed)
    begin = partial(_begin, chapter, base, changed)
    if not predict(chapter, QUESTIONS[name], changed, awaited=over is None, then=begin):
        return
    if over:
        _both(chapter, name, base, changed, moving=False)
        _outcome(chapter, name, *over)
    elif _on_the_way(changed):
        fragment(_both, run_every=pace(changed))(chapter, name, base, changed, moving=True)
    else:  # the reply came with a link, or the runs were stopped
        st.button(chapter.say("try.start"), on_click=begin, type="primary", key="training.try.start")


def shown_pair(chapter: AnyChapter) -> tuple[TrainConfig, TrainConfig]:
    return EXPERIMENTS[chapter.of(ExperimentSettings).settings.experiment].pair(chapter.of(Recipe).settings.seed)


def _over(base: TrainConfig, changed: TrainConfig) -> tuple[EarlierRun, EarlierRun] | None:
    first, second = known(base), known(changed)
    return (first, second) if first and second and first.over and second.over else None


def _on_the_way(changed: TrainConfig) -> bool:
    """The changed run is on the page, and it or its rival has not ended."""
    mine = session()
    both = [seen for seen in (mine.seen, mine.beside) if seen]
    return bool(both) and both[0].config == changed and any(seen.active for seen in both)


def _begin(chapter: AnyChapter, base: TrainConfig, changed: TrainConfig) -> None:
    """Train what is not known yet of the two: the changed run becomes the one on the page."""
    if _over(base, changed) or _on_the_way(changed):
        return
    run, first = chapter.of(ShownRunSettings), known(base)
    take(run, changed)
    session().start(changed, rival=None if first and first.over else base)
    to_the_end(run)


def _both(chapter: AnyChapter, name: str, base: TrainConfig, changed: TrainConfig, *, moving: bool) -> None:
    """The two as they are now; while they move the page is drawn for that."""
    if moving and _over(base, changed):
        state.run_again()
    first, second = known(base), known(changed)
    if first and second:
        race(chapter, f"try_{name}", _named(chapter, first, second))
    else:
        st.caption(chapter.say("state.starting"))


def _named(chapter: AnyChapter, base: EarlierRun, changed: EarlierRun) -> dict[str, EarlierRun]:
    names = (differing(chapter.say, replace(one.config, seed=USUAL.seed)) for one in (base, changed))
    return dict(zip(names, (base, changed)))


def _outcome(chapter: AnyChapter, name: str, base: EarlierRun, changed: EarlierRun) -> None:
    """What both have come to, in numbers, and whether that is what the answer says."""
    found = [told(chapter, key, past) for key, past in _named(chapter, base, changed).items()]
    counts = [f"{past.config.parameters:,}" for past in (base, changed)]
    if counts[0] != counts[1]:
        found.append(chapter.say("try.parameters", base=counts[0], changed=counts[1]))
    if changed.config.noise:
        found.append(chapter.say("try.floor", floor=number(floor_of(changed.config), 3)))
    st.markdown("  \n".join(found))
    if not changed.config.look_ahead:
        peeking(chapter, changed.config, changed.step)
    if not EXPERIMENTS[name].borne_out(base, changed):
        st.info(chapter.say("try.otherwise", seed=changed.config.seed))
