"""What the shipped models of one stack make of a row of words: recorded once, for all readers who ask for it."""

from typing import cast

import torch

from transformer_core import DecoderOnly, Trace, record
from transformer_core.after_2017.continuing import cached_continued
from transformer_core.tasks.one_row import OneRow
from transformer_core.tasks.vocabulary import END, START
from ui.cache import cached
from ui.model.current_model import ModelAtHand
from ui.model.shipped import ROWS, one_stack
from ui.text import Words

Row = tuple[int, ...]


def row_kind(kind: str, at_hand: ModelAtHand) -> str:
    """The shipped one of ROWS of the languages that the model at hand translates; English and Chinese, if none."""
    return f"{kind}_es" if at_hand.beside_english == "es" else kind


def row_example(say: Words, key: str, kind: str) -> str:
    """What a shipped model of rows is shown with: a text of its languages."""
    return say(f"{key}_es" if kind.endswith("_es") else key)


def task_of(kind: str) -> OneRow:
    config = one_stack(kind).config
    assert config is not None, "a shipped model of rows has words"
    return config.task


def row_recorded(kind: str, row: Row) -> Trace:
    """Every value that a model computes of a row, up to the log-probabilities of every place."""
    return cached.get_or_make(("row", kind, row), lambda: _recorded(kind, row))


def _recorded(kind: str, row: Row) -> Trace:
    model = one_stack(kind).model
    with torch.inference_mode(), record(model) as trace:
        model.generator(model(torch.tensor([row])))
    return trace


def continued_row(kind: str, words: Row) -> Row:
    """What a GPT makes of a row that begins with these words: with the start symbol, and the end symbol or as much as
    there is room for."""
    return cached.get_or_make(("continued", kind, words), lambda: _continued(kind, words))


def _continued(kind: str, words: Row) -> Row:
    model, prompt = cast(DecoderOnly, one_stack(kind).model), torch.tensor([[START, *words]])
    return tuple(cached_continued(model, prompt, task_of(kind).longest, END)[0].tolist())


def row_snippet(kind: str, row: Row) -> str:
    """`import torch … trace = …`: every value of the row, as it is recorded here."""
    return (
        f"{model_of_rows_snippet(kind)}from transformer_core import record\n\n"
        f"row = torch.tensor([{list(row)}])\n"
        "with torch.inference_mode(), record(model) as trace:\n"
        "    model.generator(model(row))\n"
    )


def model_of_rows_snippet(kind: str) -> str:
    """`import torch … model = …`"""
    file = f"assets/model/{ROWS[kind]}"
    return f"import torch\n\nfrom transformer_core import load_any\n\nmodel = load_any('{file}').model\n"
