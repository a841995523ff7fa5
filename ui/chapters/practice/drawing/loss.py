"""The loss of a run, to be drawn before it is trained, or before one's own is shown."""

from contextlib import suppress
from functools import partial

import numpy as np
import streamlit as st

from transformer_core.exercises.drawing import loss
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.history import History
from ui import state
from ui.chapters.practice.drawing.asked import DrawingTask, DrawSettings, Goal
from ui.chapters.shared.pair_of_runs import TICK, Pair, finished, on_their_way, start, stop, trained_again
from ui.figures import number
from ui.figures.axes import along
from ui.figures.sheet import DrawingSheet
from ui.frame.notices import and_wait
from ui.sections import AnyChapter, Chapter, fragment
from ui.session import session
from ui.training_service.earlier_runs import EarlierRun
from ui.training_service.queue import Refused

EVERY = 5  # points between two numbers on the axis
ROOM = 1.25  # times the loss of guessing, for which the sheet has room at least
LEAST = 20  # reports of a run that can be drawn
AROUND = "from transformer_core.exercises.drawing.loss import around\n"


def loss_asked(chapter: Chapter[DrawSettings]) -> DrawingTask:
    past = own_run() if chapter.settings.draw_own else None
    if chapter.settings.draw_own and past is None:
        st.info(chapter.say("draw.loss.no_run"))
    if past is not None:
        return _asked(chapter, "own", past.config, past)
    return _asked(chapter, *loss.asked(chapter.settings.draw_seed), past)


def own_run() -> EarlierRun | None:
    ended = [one for one in session().past if not one.going and one.loss.shape[1] >= LEAST]
    return next((one for one in reversed(ended) if np.isfinite(one.loss).all()), None)


def _asked(chapter: Chapter[DrawSettings], recipe: str, config: TrainConfig, past: EarlierRun | None) -> DrawingTask:
    say, guess = chapter.say, guess_of(config)
    updates = loss.places(config.steps)
    known = None if past is None else loss.around(past.loss[0], past.loss[1], config.steps)
    top = int(np.ceil(max(ROOM * guess, 0 if known is None else float(known.max()))))
    pair = {"run": config}
    values = {
        "steps": config.steps, "batch": config.batch, "length": config.length, "answers": config.tgt_vocab - 1,
        "rate": number(config.rate), "warmup": config.warmup, "noise": f"{config.noise:.0%}",
    }  # fmt: skip
    sheet = DrawingSheet(
        f"loss.{recipe}.{config.seed}.{config.steps}.{guess:.3f}",
        "line",
        [say("draw.loss.update", update=update) for update in updates.tolist()],
        say("draw.loss.x"),
        say("draw.loss.y"),
        0,
        top,
        along(0, top, counts=True).at,
        marks=[(at, int(updates[at])) for at in range(0, len(updates), EVERY)],
    )
    again = trained_again(pair, f"around(histories[0].step, histories[0].loss, {config.steps})")
    return DrawingTask(
        [Goal(f"draw.loss.goal.{recipe}", values), Goal("draw.loss.mean", {})],
        sheet,
        lambda: known if past is not None else _trained(chapter, config),
        lambda drawn, right: loss.judged(config, drawn, right),
        loss.NEAR * guess,
        f"loss · {len(updates)} · N {config.N} · d_model {config.d_model} · seed {config.seed}",
        updates,
        code=(train, loss.around),
        program=""
        if past is not None
        else AROUND + again.replace("shown = ", "truth = ").replace("print(shown)\n", ""),
        begins=None if past is not None else partial(_begin, pair),
    )


def _begin(pair: Pair) -> None:
    with suppress(Refused):  # the section tries once more, and says so
        start(pair, linked=False)


def _trained(chapter: Chapter[DrawSettings], config: TrainConfig) -> np.ndarray | None:
    """The losses of a run that is trained now if nobody has done so; None while it is under way, which is shown."""
    pair = {"run": config}
    history: History | None = finished(pair).get("run")
    if history is not None:
        return loss.around(history.step, history.loss, config.steps)
    if not on_their_way(pair):
        try:
            start(pair, linked=True)
        except Refused:
            chapter.put("drawn_run", "")
            st.warning(chapter.shell("pair.refused"))
            return None
    fragment(_watch, run_every=TICK)(chapter, pair)
    return None


def _watch(chapter: AnyChapter, pair: Pair) -> None:
    shell = chapter.shell
    seen = on_their_way(pair)
    if not seen or seen[0].state == "done":
        state.run_again()
    (run,) = seen
    if run.active:
        share = run.step / run.config.steps
        eta = session().runs.eta(run.run)
        st.progress(share, and_wait(shell("pair.running", share=f"{share:.0%}"), eta, chapter.lang))
    else:
        stop(pair)
        chapter.put("drawn_run", "")
        st.warning(shell("pair.lost"))
