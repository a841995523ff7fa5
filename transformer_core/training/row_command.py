"""The command that trains a model of one stack: its options, what it prints, writes and refuses."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import torch

from transformer_core import interrupted
from transformer_core.after_2017.shape import FEED_FORWARDS, KINDS, NORMS, POSITIONS
from transformer_core.shell import Parser, ProgressLine
from transformer_core.tasks.translation import DIRECTIONS
from transformer_core.training.command import refuse_unwritable
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_file import save_one_stack
from transformer_core.training.row_run import RowReport, RowRun
from transformer_core.training.tensor_file import SUFFIX

CHOICES = {
    "kind": KINDS, "direction": tuple(DIRECTIONS), "norm": NORMS, "positions": POSITIONS,
    "feed_forward": FEED_FORWARDS, "schedule": ("cosine", "noam", "constant"),
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. 0 = trained; 2 = settings, file or training failed, 130 = stopped, and stderr says so."""
    torch.set_num_threads(1)
    parser = _parser()
    said = parser.parse_args(arguments)
    try:
        _train(said)
    except OSError as problem:
        print(f"{parser.prog}: {problem.filename}: {problem.strerror}", file=sys.stderr)
    except (ValueError, ArithmeticError, ImportError) as problem:
        print(f"{parser.prog}: {problem}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted; nothing was saved", file=sys.stderr)
        return interrupted.STATUS
    else:
        return 0
    return 2


def _train(said: argparse.Namespace) -> None:
    if said.out is not None:
        refuse_unwritable(said.out)
    names = {field.name for field in fields(RowConfig)}
    options = {name: value for name, value in vars(said).items() if name in names}
    run = RowRun(RowConfig.of_kind(options.pop("kind", RowConfig.kind), **options))
    progress = ProgressLine(run.config.steps)
    for report in run.work():
        progress.at(report.step)
        if report.right is not None:
            progress.clear()
            print(json.dumps(report._asdict()) if said.json else _line(report), flush=True)
    if said.out is not None:
        save_one_stack(said.out, run.model, run.config, run.step)


def _line(report: RowReport) -> str:
    return f"step {report.step:4}  loss {report.loss:.3f}  held out {report.right:.1%}"


def _parser() -> Parser:
    parser = Parser(
        prog="python -m transformer_core train-row",
        description="Train a model of one stack on rows of words: a GPT that goes on with them (--kind decoder), or a "
        "BERT that fills in covered words (--kind encoder). What is not told is as the recipe of the kind has it.",
        argument_default=argparse.SUPPRESS,
    )
    parser.add_argument("--out", type=Path, default=None, metavar="FILE", help=f"file for the trained model, *{SUFFIX}")
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
