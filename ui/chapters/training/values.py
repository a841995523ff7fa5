"""From a run to what the chapter shows."""

from functools import lru_cache

import numpy as np

from transformer_core.experiments.alignment import reference_alignment
from transformer_core.schedule import learning_rate
from transformer_core.tasks import Copy
from transformer_core.tasks.kinds import KINDS
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.history import History
from transformer_core.training.probing import probe_of
from ui.figures import number
from ui.run_limits import MAX_WORK
from ui.text import Words

LONG_RUN = 5  # seconds of one core, roughly
LEARNED = 0.9  # share of the words of a kind that are right


def pace(config: TrainConfig) -> float:
    """Seconds from one look at a run under way to the next.

    Every look costs the browser some 70 ms, also for the reader's other tabs: a run of many seconds is looked at less.
    """
    work = config.parameters * config.batch * config.length * config.steps
    return 0.5 if work < LONG_RUN * MAX_WORK else 1.0


@lru_cache(maxsize=64)
def plan(config: TrainConfig) -> tuple[np.ndarray, np.ndarray]:
    """Steps and the learning rate that the schedule has for them."""
    steps = np.unique(np.linspace(1, config.steps, 200).astype(int))
    return steps, np.array([learning_rate(config, int(step)) for step in steps])


def latest(steps: np.ndarray, at: int) -> int:
    """Index of the last of these steps, in rising order, that is not after step `at`."""
    return int(np.searchsorted(steps, at, side="right")) - 1


def matched_at(history: History, at: int) -> tuple[int, float] | None:
    """The last step by `at` at which the exact match was measured, and what it was; None if there is none."""
    found = np.flatnonzero(np.isfinite(history.exact_match[: latest(history.step, at) + 1]))
    return (int(history.step[found[-1]]), float(history.exact_match[found[-1]])) if len(found) else None


def below_since(history: History, guess: float, at: int) -> int | None:
    """The first step from which on the loss is below `guess` at every one up to `at`; None where it is not at `at`."""
    above = np.flatnonzero(~(history.loss[: latest(history.step, at) + 1] < guess))
    first = int(above[-1]) + 1 if len(above) else 0
    return int(history.step[first]) if first <= latest(history.step, at) else None


@lru_cache(maxsize=64)
def reference_of(config: TrainConfig) -> np.ndarray:
    """Which source tokens of the probe each token to predict stands for: (T, S) bool; none, where nobody knows that."""
    source = probe_of(config)
    task = config.words or Copy(config.vocab, config.length, config.min_length)
    reference = reference_alignment(task, source, config.answer(source) or ())
    if reference is None:  # of a reader's own pairs
        return np.zeros((len(config.answer(source) or ()) - 1, len(source)), bool)
    return reference.numpy()


def best_aligned(maps: np.ndarray, reference: np.ndarray) -> tuple[int, int, float]:
    """Of the cross-attention (N, h, T, S) of the probe: the layer and head that look most at what they are to find.

    And the share of its attention, on average over the rows with something to find, that this head gives to that. Where
    nobody knows what is to be found: of the head that looks most at one token in each row, what it gives to that.
    """
    rows = reference.any(-1)
    of_rows = (maps.astype(np.float64) * reference).sum(-1)[..., rows] if rows.any() else maps.max(-1)
    shares = of_rows.mean(-1)  # (N, h)
    layer, head = np.unravel_index(shares.argmax(), shares.shape)
    return int(layer), int(head), float(shares.max())


def even_share(reference: np.ndarray) -> float:
    """The same share if all attention were spread evenly."""
    return float(reference[reference.any(-1)].mean())


def learned_at(history: History, kind: str, at: int) -> int | None:
    """The first step up to `at` where so many words of a kind were right as to call it learned; None before that."""
    right = getattr(history, f"right_{kind}")[: latest(history.step, at) + 1]
    found = np.flatnonzero(right >= LEARNED)  # NaN is not
    return int(history.step[found[0]]) if len(found) else None


# What one run has come to, as the values of the sentence `story.replay`, which its own reports bear out.


def about(say: Words, config: TrainConfig, history: History, at: int) -> dict[str, object]:
    """When its loss went below guessing, which kind of word came right first and how much it gets right, up to `at`."""
    guess = guess_of(config)
    since = below_since(history, guess, at)
    loss = number(float(history.loss[latest(history.step, at)]), 3)
    said = {"since": since, "loss": loss, "guess": number(guess, 3)}
    facts = [say("about.above" if since is None else "about.below", **said)]
    if config.task == "translate" and not np.isnan(history.right_words).all():  # a file does not tell
        learned = {kind: learned_at(history, kind, at) for kind in KINDS}
        first = min((step for step in learned.values() if step is not None), default=None)
        kinds = say("about.and").join(say(f"kind.{kind}") for kind in KINDS if learned[kind] == first)
        fact = "about.no_kind" if first is None else "about.kind"
        facts.append(say(fact, kinds=kinds, step=first, share=f"{LEARNED:.0%}"))
    matched = matched_at(history, at)
    if matched:
        step, share = matched
        facts.append(say("about.match", step=step, share=f"{share:.1%}"))
    return {"step": at, "facts": say("about.then").join(facts)}
