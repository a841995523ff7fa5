"""The same run again: what makes it the same, and as a script that trains it with `transformer_core` alone."""

import streamlit as st

from transformer_core.training.config import TrainConfig
from transformer_core.training.notes_run import begins_as_notes
from ui.chapters.shared.model_program import config_source
from ui.chapters.training.controls import shown_run
from ui.chapters.training.offer import room, saved_as
from ui.chapters.training.recipe import Recipe
from ui.sections import AnyChapter, Section
from ui.session import session

SCRIPT = """import torch
from transformer_core.training.checkpoint import save
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.run import TrainingRun

torch.set_num_threads(1)  # sums come out the same to the last bit only if they are split alike
config = {config}
run, reports = TrainingRun(config), []
for report in filter(None, run.work()):
    reports.append(report)
    if report.exact_match is not None:
        print(f"step {{report.step:4}}   loss {{report.loss:.4f}}   exact match {{report.exact_match:.1%}}")
{until}history = History.of(reports)
save("{saved}", run.model, config, run.step, history.columns(run.step), history.records(run.step, {room}))
"""
UNTIL = """    if report.step == {step}:
        reports[-1] = run.looked(report)
        break
"""


def script(config: TrainConfig, step: int) -> str:
    """A program that trains a run from its beginning to this step, prints how it goes, and saves the model."""
    until = "" if step == config.steps else UNTIL.format(step=step)
    return SCRIPT.format(config=config_source(config), until=until, saved=saved_as(config, step), room=room(config))


@Section("again", reads=(Recipe,))
def again(chapter: AnyChapter) -> None:
    """What is said of it, and the script: of the run on the page, as far as it has come to rest."""
    config, seen = shown_run(chapter.of(Recipe)), session().seen
    step = seen.step if seen and seen.step and not seen.going else config.steps
    program, name = script(config, step), f"train_{config.task}.py"
    chapter.write("again.same")
    chapter.write("again.script", step=step, name=name, saved=saved_as(config, step))
    if config.pairs:
        chapter.write("again.pairs")
    st.code(program, language="python")
    st.download_button(
        chapter.say("again.save", name=name),
        program,
        name,
        "text/x-python",
        key="training.script",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
    )
    if chapter.notes or begins_as_notes(config):
        chapter.write("again.notes")
