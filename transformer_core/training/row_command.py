"""The command that trains a model of one stack: its options, what it prints, writes and refuses."""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from functools import partial
from pathlib import Path
from typing import Any

import torch

from transformer_core.after_2017.shape import FEED_FORWARDS, KINDS, NORMS, POSITIONS
from transformer_core.shell import Parser, ProgressLine, StopSignal
from transformer_core.tasks.translation import DIRECTIONS
from transformer_core.training.command import NOT_WHOLE, named, refuse_unwritable, stoppable
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.resume import ResumedRow, resumed_row, state_of
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_file import save_one_stack
from transformer_core.training.row_run import RowReport, RowRun
from transformer_core.training.tensor_file import SUFFIX

CHOICES = {
    "kind": KINDS, "direction": tuple(DIRECTIONS), "norm": NORMS, "positions": POSITIONS,
    "feed_forward": FEED_FORWARDS, "schedule": ("cosine", "noam", "constant"),
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. 0 = trained; 2 = settings, file or training failed, 130 or 143 = stopped, and stderr says so."""
    torch.set_num_threads(1)
    parser = _parser()
    said = parser.parse_args(arguments)
    return stoppable(parser.prog, partial(_train, said))


def _train(said: argparse.Namespace, stop: StopSignal, complain: Callable[[object], None]) -> int:
    if said.out is not None:
        refuse_unwritable(said.out)
    run, whole = _begun(said)
    if not whole:
        complain(f"{said.resume} {NOT_WHOLE}")
    progress = ProgressLine(run.config.steps, run.step)
    for report in run.work():
        progress.at(report.step)
        if report.right is not None:
            progress.clear()
            print(json.dumps(report._asdict()) if said.json else _line(report), flush=True)
        if stop.status:
            complain(f"stopped at step {run.step} of {run.config.steps}; {_kept(run, said.out)}")
            return stop.status
    if said.out is not None:
        save_one_stack(said.out, run.model, run.config, run.step)
    return 0


def _begun(said: argparse.Namespace) -> ResumedRow:
    """A new run with these settings, or that of `--resume`."""
    names = {field.name for field in fields(RowConfig)}
    options = {name: value for name, value in vars(said).items() if name in names}
    if said.resume is None:
        return ResumedRow(RowRun(RowConfig.of_kind(options.pop("kind", RowConfig.kind), **options)), True)
    if options:
        raise ValueError(f"--resume goes on with the settings of {said.resume}, so leave out {named(list(options))}")
    try:
        return resumed_row(said.resume)
    except NotAModel as problem:
        raise ValueError(f"{said.resume}: {problem}") from problem


def _kept(run: RowRun, out: Path | None) -> str:
    """Save what there is of a stopped run, in a file of its own beside `out`; what is said of it."""
    if out is None:
        return "nothing was saved"
    ended = run.step == run.config.steps
    path = out if ended else out.with_name(f"{out.stem}.stopped{SUFFIX}")
    save_one_stack(path, run.model, run.config, run.step, None if ended else state_of(run))
    return f"{path} has the trained model" if ended else f"--resume {path} goes on"


def _line(report: RowReport) -> str:
    return f"step {report.step:4}  loss {report.loss:.3f}  held out {report.right:.1%}"


def _parser() -> Parser:
    parser = Parser(
        prog="python -m transformer_core train-row",
        description="Train a model of one stack on rows of words: a GPT that goes on with them (--kind decoder), or a "
        "BERT that fills in covered words (--kind encoder). What is not told is as the recipe of the kind has it.",
        epilog="Ctrl-C or SIGTERM stops a run after its step; with --out, what there is of it is saved beside that.",
        argument_default=argparse.SUPPRESS,
    )
    parser.add_argument("--out", type=Path, default=None, metavar="FILE", help=f"file for the trained model, *{SUFFIX}")
    parser.add_argument(
        "--resume", type=Path, default=None, metavar="FILE", help="go on with the run of a file, with its settings"
    )
    parser.add_argument("--json", action="store_true", default=False, help="one JSON object per line")
    for field in fields(RowConfig):
        default: Any = None if field.default is MISSING else field.default
        option = f"--{field.name.replace('_', '-')}"
        if isinstance(default, bool):
            parser.add_argument(option, action=argparse.BooleanOptionalAction)
        elif field.name in CHOICES:
            parser.add_argument(option, choices=CHOICES[field.name])
        else:
            kind = float if isinstance(default, float) else int
            parser.add_argument(option, type=kind, metavar="NUMBER")
    return parser
