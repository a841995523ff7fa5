"""What one run has come to, as the values of the sentence `story.replay`, which its own reports bear out."""

import numpy as np

from transformer_core.tasks.kinds import KINDS
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.history import History
from ui.chapters.training.values import LEARNED, below_since, latest, learned_at, matched_at
from ui.figures import number
from ui.text import Words


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
