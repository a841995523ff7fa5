"""What a run is called beside others, earlier runs behind its curves, and two runs side by side."""

import numpy as np

from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.run import TrainingRun
from ui.chapters.shared.pair_of_runs import trained_again
from ui.chapters.training.figures.run import Curve, Ghost
from ui.figures import TWO_COLORS, Figure, Marks, Style, XAxis, YAxis, curves, number
from ui.sections import AnyChapter, show
from ui.session import session
from ui.text import Words
from ui.training_service.earlier_runs import EarlierRun

UNSAID = (
    "task",
    "direction",
    "vocab",
    "length",
    "d_ff",
    "architecture",
    "pairs",
)  # by the name of the task, or not at all


def name_of(say: Words, config: TrainConfig) -> str:
    """`Copy · no ÷√d_k · seed 3`; the recipe itself is called so."""
    return f"{task_of(say, config)} · {differing(say, config)}"


def task_of(say: Words, config: TrainConfig) -> str:
    if config.task == "translate":
        return say(f"direction_option.{config.direction}")
    return say(f"task_option.{config.task}")


def differing(say: Words, config: TrainConfig) -> str:
    """What a run has otherwise than its recipe, the seed last; `the recipe` where that is nothing."""
    recipe = TrainConfig.of_task(config.task, config.direction, pairs=config.pairs)
    apart = [name for name, value in recipe.to_dict().items() if getattr(config, name) != value]
    said = [_said(say, name, getattr(config, name)) for name in apart if name not in UNSAID]
    if not config.words and (config.vocab, config.length) != (recipe.vocab, recipe.length):
        said.insert(0, say("differs.sizes", vocab=config.vocab, length=config.length))
    return " · ".join(said) or say("differs.nothing")


def _said(say: Words, name: str, value: object) -> str:
    return say(f"differs.{name}", value=number(value) if isinstance(value, int | float) else value)


# Earlier runs, quietly behind the curves of the one on the page.


def ghosts(chapter: AnyChapter, config: TrainConfig) -> list[Ghost]:
    """Those of the same task, by their number and name in the table of runs; the rival is one of them."""
    mine = session()
    rival = mine.beside.config if mine.beside else None
    return [
        Ghost(f"{at}: {name_of(chapter.say, past.config)}", _curve(past.loss), _curve(past.match), past.config == rival)
        for at, past in enumerate(mine.past, 1)
        if past.config != config and alike(past.config, config)
    ]


def _curve(line: np.ndarray) -> Curve:
    return line[0], line[1]


def alike(one: TrainConfig, other: TrainConfig) -> bool:
    """Whether their losses mean the same: guessing costs as much."""
    return all(getattr(one, name) == getattr(other, name) for name in ("task", "direction", "pairs", "tgt_vocab"))


HEIGHT = 240
SHOWN = (
    "np.stack([histories[0].step, *(h.loss for h in histories), *(h.exact_match for h in histories)], axis=1)"
    "  # of runs of as many steps"
)


def known(config: TrainConfig) -> EarlierRun | None:
    """What this reader's page knows of a run with these settings."""
    return next((past for past in session().past if past.config == config), None)


def race(chapter: AnyChapter, name: str, runs: dict[str, EarlierRun]) -> None:
    """The two by their names, in a figure of this name. The first is drawn above."""
    say, names, (first, second) = chapter.say, list(runs), runs.values()
    last = max(past.config.steps for past in runs.values())
    steps, guess = np.arange(last + 1, dtype=np.float32), guess_of(first.config)
    both = [("loss", [past.loss for past in runs.values()]), ("match", [past.match for past in runs.values()])]
    drawn = [
        curves(
            steps,
            {key: (line[0], line[1]) for key, line in zip(runs, lines)},
            x_axis=XAxis(say("label.step")),
            y_axis=YAxis(say(f"label.{what}"), range=None if what == "loss" else (0.0, 1.0)),
            marks=Marks(levels={say("replay.guess"): guess} if what == "loss" else {}),
            style=Style(colors=TWO_COLORS, dashed=names[1:], markers=what == "match"),
            height=HEIGHT,
        )
        for what, lines in both
    ]
    columns = [say("label.step"), *(f"{say(f'label.{what}')}, {key}" for what, _ in both for key in runs)]
    values = [_at_every_step(line, last) for _, lines in both for line in lines]
    whole = first.over and second.over and first.step == second.step == last
    figure = Figure(
        name,
        drawn,
        f"TrainingRun.work() · 2 × {len(steps)} · seed {first.config.seed}",
        np.stack([steps, *values], axis=1),
        columns,
        code=[TrainingRun.update],
        program=trained_again({key: past.config for key, past in runs.items()}, SHOWN) if whole else "",
        alt=[say(f"race.alt.{what}", first=names[0], second=names[1]) for what, _ in both],
    )
    show(chapter, figure)


def _at_every_step(line: np.ndarray, last: int) -> np.ndarray:
    """A curve (2, n) as its values at steps 0…last; NaN where it has none."""
    values = np.full(last + 1, np.nan, np.float32)
    values[line[0].astype(int)] = line[1]
    return values


def told(chapter: AnyChapter, name: str, past: EarlierRun) -> str:
    """What a run has come to, in a sentence of its numbers."""
    say = chapter.say
    loss, match = past.last_loss, past.last_match
    found = {
        "name": name,
        "step": past.step,
        "loss": "–" if loss is None else number(loss, 3),
        "match": "–" if match is None else f"{match:.1%}",
    }
    if past.learned:
        return say("race.learned", **found, first=past.learned.step, seconds=number(past.learned.seconds, 2))
    return say("race.not_learned", **found)
