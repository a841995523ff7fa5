"""What is watched, what every head looks at in it, and the curves of the run, as figures."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from transformer_core.schedule import learning_rate
from transformer_core.tasks import OwnPairs
from transformer_core.tasks.kinds import KINDS, kinds_of
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import right_tokens
from transformer_core.training.guess import guess_of
from transformer_core.training.history import History
from transformer_core.training.probing import probe_of, watched_of
from transformer_core.training.run import TrainingRun
from ui.chapters.shared.model_program import config_source
from ui.chapters.training.figures.run import corrected, curves, probe_wall, verdict
from ui.chapters.training.race import ghosts
from ui.chapters.training.values import best_aligned, plan, reference_of
from ui.components.matrix import matrix
from ui.figures import Board, Figure, number
from ui.figures.markup import element, sentence
from ui.inputs.gloss import glosses_for
from ui.sections import AnyChapter, show
from ui.sections.scene import breadth
from ui.text import Words
from ui.training_service.earlier_runs import thinned

LOW, MOST_CELL, LETTER = 156, 18, 13  # px of one head: its height, as low as the curves; a cell; a letter of a name
COLUMNS = ("step", "loss", "rate", "exact_match", "gradient_norm", "query_norm", "key_norm", "weight")
PROGRAM = """import numpy as np
import torch
from transformer_core.training.history import History
from transformer_core.training.config import TrainConfig
from transformer_core.training.run import TrainingRun

torch.set_num_threads(1)  # sums come out the same to the last bit only if they are split alike
run, reports = TrainingRun({run}), []
for report in filter(None, run.work()):
    reports.append(report)
    if report.step == {step}:
        break
{shown}
print(shown)
"""
LOOKED = "maps = run.look().cross_attention  # (N, h, T, L)\nshown = maps.reshape(-1, maps.shape[-1])"
OF_WORDS = (*COLUMNS, *(f"right_{kind}" for kind in KINDS))  # in a task with words of its own


def program(config: TrainConfig, step: int, shown: str) -> str:
    """A program that trains the same up to a step, and leaves what it has `LOOKED` at or `reported`."""
    return PROGRAM.format(run=config_source(config), step=step, shown=shown)


def reported(columns: Sequence[str]) -> str:
    return f"history = History.of(reports)\nshown = np.stack([getattr(history, name) for name in {columns}], axis=1)"


def watched(chapter: AnyChapter, config: TrainConfig, history: History, at: int) -> None:
    """What the model makes of some sentences, or of the probe, token by token, each with the right ones before it."""
    task, say, record = config.words, chapter.say, int(np.searchsorted(history.probe_step, at))
    if task is None:
        every, answer = config.vocabularies[1].every, config.answer(probe_of(config)) or ()
        given, right = [every[token] for token in history.choices[record][0]], [every[token] for token in answer[1:]]
        st.html(verdict(say("label.probe"), given, right, say("label.mistake"), {}))
        return
    rows, glosses = [], glosses_for(chapter.lang, *config.vocabularies)
    for source, chosen in zip(watched_of(config), history.choices[record]):
        target = task.answer(source) or ()
        wanted, given = task.target.names_of(target[1:]), task.target.names_of(chosen[: len(target) - 1].tolist())
        if isinstance(task, OwnPairs):
            read = element("bdi", task.source.text(source))
        else:
            read = sentence(task.source.names_of(source[1:-1]), glosses)
        rows.append(corrected(read, given, wanted, say("label.mistake"), glosses))
    st.html("".join(rows))


def best_head(chapter: AnyChapter, config: TrainConfig, history: History, at: int) -> None:
    """What one head looks at in the probe: that which, at the last record, looks most at what it is to find."""
    say, shell = chapter.say, chapter.shell
    layer, head, _ = best_aligned(history.cross_attention[-1], reference_of(config))
    maps = history.cross_attention[int(np.searchsorted(history.probe_step, at))]
    sources, predicted = probe_labels(config)
    labels = dict.fromkeys(("predicted", "source"), "")
    title = [[say("label.map", layer=layer, head=head)]]
    (panel,) = probe_wall(maps[layer : layer + 1, head : head + 1], predicted, sources, title, labels, named=True)
    words = {word: shell(f"matrix.{word}") for word in ("row", "column", "given", "keys")}
    cell = min(MOST_CELL, LOW / len(predicted))
    with st.container(width=round(cell * len(sources) + LETTER * max(map(breadth, predicted)) + 2 * LETTER)):
        matrix(
            Board([replace(panel, beside=False)], quiet=True),
            key="training.best",
            alt=say("best_alt", layer=layer, head=head, step=at),
            words=words,
            glosses=glosses_for(chapter.lang, *config.vocabularies),
        )


def probe_labels(config: TrainConfig) -> tuple[Sequence[str], Sequence[str]]:
    probe = probe_of(config)
    target = config.answer(probe)
    assert target is not None  # the run has found it too
    return config.vocabularies[0].labels(probe), config.vocabularies[1].labels(target)[1:]


def cross_attention(chapter: AnyChapter, config: TrainConfig, history: History, at: int) -> None:
    """What every head of every layer looks at in the probe sequence."""
    say = chapter.say
    sources, predicted = probe_labels(config)
    record = int(np.searchsorted(history.probe_step, at))
    maps = history.cross_attention[record]
    labels = {name: say(f"label.{name}") for name in ("predicted", "source")}
    titles = [[say("label.map", layer=layer, head=head) for head in range(config.h)] for layer in range(config.N)]
    size = " × ".join(map(str, maps.shape))
    figure = Figure(
        "probe",
        Board(probe_wall(maps, predicted, sources, titles, labels, named=config.words is not None)),
        f"decoder.layers.*.src_attn.weights · {size} · step {at} · seed {config.seed} · "
        f"{say('size', parameters=f'{config.parameters:,}')}",
        numbers=maps.reshape(-1, len(sources)).astype(np.float32),
        columns=sources,
        code=[TrainingRun.look, probe_of],
        program=program(config, at, LOOKED),
        alt=say("probe_alt", layers=config.N, heads=config.h, step=at),
    )
    chosen = show(chapter, figure)
    if chosen:
        panel, row, column = chosen
        layer, head = map(int, panel.split(".")[1:])
        weight = number(float(maps[layer, head, row, column]), 3)
        token, source = predicted[row], sources[column]
        chapter.write("chosen", token=token, layer=layer, head=head, weight=weight, source=source, place=column)


def labels_of(say: Words, config: TrainConfig) -> dict[str, str]:
    key = "label.guess_smoothed" if config.smoothing else "label.guess"
    guess = say(key, answers=config.tgt_vocab - 1, guess=f"{guess_of(config):.2f}")
    return {name: say(f"label.{name}") for name in ("step", "loss", "match", "rate")} | {"guess": guess}


def run_curves(chapter: AnyChapter, config: TrainConfig, history: History, at: int) -> None:
    """Loss, exact match and rate of all steps so far, and the shares of right words of each kind."""
    say, guess, last = chapter.say, guess_of(config), int(history.step[-1])
    labels = labels_of(say, config)
    drawn, checked = thinned(len(history.step)), np.isfinite(history.exact_match)
    loss = (history.step[drawn], history.loss[drawn])
    match = (history.step[checked], history.exact_match[checked])
    columns = COLUMNS if config.words is None else OF_WORDS
    kinds = {}
    if config.task == "translate":
        labels |= {"match": say("label.whole"), "share": say("label.share")}
        shares = {kind: getattr(history, f"right_{kind}")[checked] for kind in KINDS}
        kinds = {say(f"kind.{kind}"): (match[0], share) for kind, share in shares.items() if np.isfinite(share).any()}
    figure = Figure(
        "curves",
        curves(
            loss,
            match,
            plan(config),
            last=config.steps,
            guess=guess,
            at=at,
            labels=labels,
            kinds=kinds,
            ghosts=ghosts(chapter, config),
        ),
        f"TrainingRun.work() · {len(history.step)} × {len(columns)} · seed {config.seed}",
        numbers=np.stack([getattr(history, name) for name in columns], axis=1),
        columns=columns,
        code=[TrainingRun.update, learning_rate, right_tokens, *([] if config.words is None else [kinds_of])],
        program=program(config, last, reported(columns)),
        alt=say("curves_alt", step=last, loss=number(float(history.loss[-1]), 3), guess=f"{guess:.2f}"),
    )
    show(chapter, figure)
