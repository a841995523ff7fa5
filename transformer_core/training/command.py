"""The command that trains: its options, what it prints, writes and refuses."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import torch

from transformer_core.decoding.greedy import greedy_decode
from transformer_core.masks import padding_mask
from transformer_core.tasks import NotPairs, OwnPairs
from transformer_core.tasks.pair_lines import decoded, read_pairs
from transformer_core.training.checkpoint import save
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import evaluating
from transformer_core.training.history import History
from transformer_core.training.report import Report
from transformer_core.training.run import TrainingRun
from transformer_core.training.settings import SETTINGS, Setting
from transformer_core.training.tensor_file import SUFFIX

PRESETS: dict[str, Callable[[], TrainConfig]] = {"notes": TrainConfig.notes, "random": TrainConfig.random}
RECIPE = "default"  # instead of a preset: the settings that the task is learned with
EXAMPLES = 3  # rows of letters or sentences whose answers are printed


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. 0 = trained; 2 = settings, file or training failed, 130 = interrupted, and stderr says so."""
    torch.set_num_threads(1)
    parser = _parser()
    options = vars(parser.parse_args(arguments))
    out, as_json, preset = options.pop("out"), options.pop("json"), options.pop("preset")
    try:
        if preset == RECIPE:
            task = "pairs" if "pairs" in options else TrainConfig.task
            config = TrainConfig.of_task(options.pop("task", task), **options)
        else:
            config = TrainConfig(**PRESETS[preset]().to_dict() | options)
        _refuse_unheeded(options, config)
        if out is not None:
            _refuse_unwritable(out)
        run = TrainingRun(config)
        summary, history = _follow(run, as_json)
        if out is not None:
            save(out, run.model, config, run.step, history.columns(run.step))
            summary["out"] = str(out)
    except (ValueError, ArithmeticError, OSError) as problem:
        print(f"{parser.prog}: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted; nothing was saved", file=sys.stderr)
        return 130
    print(json.dumps(summary) if as_json else _as_text(**summary))
    return 0


def _refuse_unheeded(options: Mapping[str, Any], config: TrainConfig) -> None:
    """ValueError for an option that the task leaves no choice about, rather than a run with another value."""
    unheeded = [
        name for name, value in options.items() if value != getattr(config, name) and (name, value) != ("d_ff", 0)
    ]
    if "direction" in options and config.task != "translate":
        unheeded.append("direction")
    if unheeded:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in unheeded)
        has = ", ".join(f"{name} = {getattr(config, name)}" for name in unheeded if name != "direction")
        raise ValueError(f"the task {config.task} has no choice of {named}" + (f": it has {has}" if has else ""))


def _refuse_unwritable(out: Path) -> None:
    """Now rather than after the training. A file that was not there is not left behind empty."""
    if out.suffix != SUFFIX:
        raise ValueError(f"{out.name}: models are saved as safetensors, so name the file {out.stem}{SUFFIX}")
    existed = out.exists()
    out.open("ab").close()
    if not existed:
        out.unlink()


def _follow(run: TrainingRun, as_json: bool) -> tuple[dict[str, Any], History]:
    """Print the reports as they come; return what the run has reached, and the numbers of all reports."""
    started, report, numbers = time.perf_counter(), None, []
    for report in filter(None, run.work()):
        numbers.append(replace(report, probe=None))
        if as_json:
            print(json.dumps(_as_dict(report)), flush=True)
        elif report.exact_match is not None or report.held_out is not None:
            print(_line(report), flush=True)
    assert report is not None
    looked = {"held_out": report.held_out} if report.probe is None else {"probe": run.watched.probe.src[0].tolist()}
    summary = {
        "step": report.step,
        "exact_match": report.exact_match,
        "parameters": run.config.parameters,
        "seconds": round(time.perf_counter() - started, 2),
        **looked,
        **_predicted(report),
        "examples": _examples(run),
        "config": _named(run.config),
    }
    return summary, History.of(numbers)


def _named(config: TrainConfig) -> dict[str, Any]:
    """The settings, and of the lines of a file their name alone."""
    own = {"pairs": config.words.name} if isinstance(config.words, OwnPairs) else {}
    return config.to_dict() | own


def _examples(run: TrainingRun) -> list[dict[str, str]]:
    """Sources held out, what greedy decoding makes of each, and their targets; none of rows of numbers."""
    task = run.config.words
    if task is None:
        return []
    src, tgt = task.held_out(EXAMPLES)
    with evaluating(run.model):
        output = greedy_decode(run.model, src, padding_mask(src), task.longest[1], end=task.target.end)
    rows = zip(src.tolist(), output.tolist(), tgt.tolist())
    return [
        {
            "source": task.source.text(source),
            "output": task.target.text(task.target.until_end(answer)),
            "target": task.target.text(target),
        }
        for source, answer, target in rows
    ]


def _as_text(examples: list[dict[str, str]], **summary: object) -> str:
    lines = [f"{name:14}{value}" for name, value in summary.items()]
    for example in examples:
        wrong = "" if example["output"] == example["target"] else f"   instead of {example['target']}"
        lines.append(f"{example['source']} → {example['output']}{wrong}")
    return "\n".join(lines)


def _line(report: Report) -> str:
    match = "" if report.exact_match is None else f"   exact match {report.exact_match:6.1%}"
    held_out = "" if report.held_out is None else f"   held out {report.held_out:7.4f}"
    return (
        f"step {report.step:5}   loss {report.loss:7.4f}{match}{held_out}   "
        f"rate {report.rate:.2e}   {report.tokens_per_second:8,.0f} tokens/s"
    )


def _as_dict(report: Report) -> dict[str, Any]:
    values = {field.name: getattr(report, field.name) for field in fields(report) if field.name != "probe"}
    return values | _predicted(report)


def _predicted(report: Report) -> dict[str, Any]:
    return {} if report.probe is None else {"predicted": report.probe.log_probs.argmax(-1).tolist()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m transformer_core.train",
        description="Train an encoder-decoder: to copy, to learn random answers, to reverse, to sort, to translate, "
        "or pairs of your own.",
    )
    parser.add_argument("--preset", choices=[RECIPE, *PRESETS], default=RECIPE, help="settings to start from")
    parser.add_argument("--out", type=Path, help=f"file for the trained model, *{SUFFIX}")
    parser.add_argument("--json", action="store_true", help="one JSON object per line, the last one a summary")
    for name, setting in SETTINGS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", default=argparse.SUPPRESS, **_option(setting))
    return parser


def _option(setting: Setting) -> dict[str, Any]:
    """How argparse reads one setting: a switch, one of a few words, or a number with its bounds."""
    said = f"{setting.meaning} (default {'none' if setting.default is None else setting.default})"
    if str in setting.kinds and not setting.choices:
        return {"type": _lines, "metavar": "FILE", "help": f"{setting.meaning}: a file of two columns (CSV or TSV)"}
    if bool in setting.kinds:
        return {"action": argparse.BooleanOptionalAction, "help": said}
    if setting.choices:
        return {"choices": setting.choices, "help": said}
    number, optional = setting.kinds[0], setting.optional

    def read(text: str) -> object:
        return None if optional and text == "none" else number(text)

    read.__name__ = number.__name__  # argparse says "invalid int value"
    return {"type": read, "metavar": f"{setting.low}…{setting.high}" + ("|none" if optional else ""), "help": said}


def _lines(path: str) -> str:
    """The pairs in a file, as a run has them."""
    try:
        return read_pairs(decoded(Path(path).read_bytes())).pairs.text
    except (OSError, NotPairs) as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
