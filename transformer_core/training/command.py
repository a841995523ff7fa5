"""The command that trains: its options, what it goes on with, writes and refuses."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch

from transformer_core import interrupted
from transformer_core.shell import UNREAD, Parser, StopSignal
from transformer_core.training.checkpoint import save
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import EMPTY, History
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.pairs_option import HOW, add_options, with_pairs
from transformer_core.training.resume import Resumed, resumed, state_of
from transformer_core.training.run import TrainingRun
from transformer_core.training.settings import MOST, SETTINGS, Setting
from transformer_core.training.telling import RunReporter
from transformer_core.training.tensor_file import SUFFIX, library

PRESETS: dict[str, Callable[[], TrainConfig]] = {"notes": TrainConfig.notes, "random": TrainConfig.random}
RECIPE = "default"  # instead of a preset: the settings that the task is learned with
NOT_WHOLE = (
    "holds a model without the state of the optimiser: AdamW begins anew, so the rest is near what the run gives where "
    "nobody stops it, and not the same"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. 0 = trained; 2 = settings, file or training failed, 130 or 143 = stopped, and stderr says so."""
    torch.set_num_threads(1)
    parser = _parser()
    said = parser.parse_args(arguments)
    return stoppable(parser.prog, partial(_train, said))


def stoppable(prog: str, train: Callable[[StopSignal, Callable[[object], None]], int]) -> int:
    """The status of a command that trains, of which Ctrl-C asks to stop: what goes wrong is a sentence on stderr."""

    def complain(sentence: object) -> None:
        print(f"{prog}: {sentence}", file=sys.stderr)

    try:
        with StopSignal() as stop:
            return train(stop, complain)
    except OSError as problem:
        complain(f"{problem.filename}: {problem.strerror}" if problem.filename else problem)
    except (ValueError, ArithmeticError, ImportError) as problem:
        complain(problem)
    except KeyboardInterrupt:
        complain("interrupted; nothing was saved")
        return interrupted.STATUS
    return 2


def _train(said: argparse.Namespace, stop: StopSignal, complain: Callable[[object], None]) -> int:
    if said.out is not None:
        refuse_unwritable(said.out)
    run, history, whole = _begun(said)
    if not whole:
        complain(f"{said.resume} {NOT_WHOLE}")
    telling = RunReporter(run, as_json=said.json, quiet=said.quiet)
    for _ in telling.work():
        if stop.status or telling.unread:
            break
    history = history.then(telling.history)
    if stop.status or telling.unread:
        if stop.status or said.out is not None:
            complain(f"stopped at step {run.step} of {run.config.steps}; {_kept(run, history, said.out)}")
        return stop.status or UNREAD
    summary = telling.summary()
    if said.out is not None:
        save(said.out, run.model, run.config, run.step, history.columns(run.step))
        summary["out"] = str(said.out)
    telling.tell(summary)
    return 0


def _begun(said: argparse.Namespace) -> Resumed:
    """A new run with these settings, or that of `--resume`."""
    options = {name: value for name, value in vars(said).items() if name in SETTINGS or name in HOW}
    if said.resume is not None:
        if said.preset is not None or options:
            told = named(["preset"] * (said.preset is not None) + list(options))
            raise ValueError(f"--resume goes on with the settings of {said.resume}, so leave out {told}")
        try:
            return resumed(said.resume, said.device)
        except NotAModel as problem:
            raise ValueError(f"{said.resume}: {problem}") from problem
    options = with_pairs(options)
    if said.preset in PRESETS:
        config = TrainConfig(**PRESETS[said.preset]().to_dict() | options)
    else:
        task = options.pop("task", "pairs" if "pairs" in options else TrainConfig.task)
        config = TrainConfig.of_task(task, **options)
    _refuse_unheeded(options, config)
    return Resumed(TrainingRun(config, device=said.device), EMPTY, True)


def _kept(run: TrainingRun, history: History, out: Path | None) -> str:
    """Save what there is of a stopped run, in a file of its own beside `out`; what is said of it."""
    if out is None or run.step == 0:
        return "nothing was saved"
    if run.step == run.config.steps:  # but for the examination
        save(out, run.model, run.config, run.step, history.columns(run.step))
        return f"{out} has the trained model"
    path = out.with_name(f"{out.stem}.stopped{SUFFIX}")
    save(path, run.model, run.config, run.step, history.columns(run.step), state=state_of(run))
    return f"--resume {path} goes on"


def _refuse_unheeded(options: Mapping[str, Any], config: TrainConfig) -> None:
    """ValueError for an option that the task leaves no choice about, rather than a run with another value."""
    unheeded = [
        name for name, value in options.items() if value != getattr(config, name) and (name, value) != ("d_ff", 0)
    ]
    if "direction" in options and config.task != "translate":
        unheeded.append("direction")
    if unheeded:
        has = ", ".join(f"{name} = {getattr(config, name)}" for name in unheeded if name != "direction")
        raise ValueError(
            f"the task {config.task} has no choice of {named(unheeded)}" + (f": it has {has}" if has else "")
        )


def named(options: Sequence[str]) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in options)


def refuse_unwritable(out: Path) -> None:
    """Now rather than after the training. A file that was not there is not left behind empty."""
    if out.is_dir():
        raise ValueError(f"{out} is a folder, so name a file in it: {out / f'model{SUFFIX}'}")
    if out.suffix != SUFFIX:
        raise ValueError(f"{out.name}: models are saved as safetensors, so name the file {out.stem}{SUFFIX}")
    if not out.parent.is_dir():
        raise ValueError(f"there is no folder {out.parent}, so make it first")
    library()
    existed = out.exists()
    out.open("ab").close()
    if not existed:
        out.unlink()


def _parser() -> Parser:
    parser = Parser(
        prog="python -m transformer_core.train",
        description="Train an encoder-decoder: to copy, to learn random answers, to reverse, to sort, to translate, "
        "or pairs of your own.",
        epilog="Ctrl-C or SIGTERM stops a run after its step; with --out, what there is of it is saved beside that.",
    )
    parser.add_argument("--preset", choices=[RECIPE, *PRESETS], help=f"settings to start from ({RECIPE})")
    parser.add_argument("--out", type=Path, metavar="FILE", help=f"file for the trained model, *{SUFFIX}")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="go on with the run of a file, with its settings")
    parser.add_argument(
        "--device", type=_device, default="cpu", metavar="NAME", help="where it is trained: cuda, cuda:1, mps (cpu)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per line, the last one a summary")
    parser.add_argument("--quiet", action="store_true", help="the summary alone; no progress")
    for name, setting in SETTINGS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", default=argparse.SUPPRESS, **_option(setting))
    add_options(parser)
    return parser


def _device(name: str) -> torch.device:
    """Of that name, if this machine has it."""
    try:
        return torch.zeros((), device=name).device
    except (RuntimeError, AssertionError, NotImplementedError):  # no such name, none of it built in, none there
        raise argparse.ArgumentTypeError(f"PyTorch finds no device {name!r} on this machine") from None


def _option(setting: Setting) -> dict[str, Any]:
    """How argparse reads one setting: a switch, one of a few words, or a number with its bounds."""
    said = f"{setting.meaning} (default {'none' if setting.default is None else setting.default})"
    if str in setting.kinds and not setting.choices:
        return {"type": Path, "metavar": "FILE", "help": f"{setting.meaning}: a file of columns (CSV, TSV) or JSON"}
    if bool in setting.kinds:
        return {"action": argparse.BooleanOptionalAction, "help": said}
    if setting.choices:
        return {"choices": setting.choices, "help": said}
    number, optional = setting.kinds[0], setting.optional

    def read(text: str) -> object:
        return None if optional and text == "none" else number(text)

    read.__name__ = number.__name__  # argparse says "invalid int value"
    return {"type": read, "metavar": f"{setting.low}…{_highest(setting)}" + ("|none" if optional else ""), "help": said}


def _highest(setting: Setting) -> str:
    return "" if setting.high is None or setting.high >= MOST else f"{setting.high}"
