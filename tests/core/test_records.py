"""What a run was watched by, in the file of its model: it comes back to the bit, or is refused in words."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from transformer_core.train import train
from transformer_core.training.checkpoint import Checkpoint, load, save, to_bytes
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import KEPT, SAVED, History
from transformer_core.training.models import fresh_model
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.records import RECORD
from transformer_core.training.state_dict import load_any
from transformer_core.training.tensor_file import OURS, held, packed

CONFIGS = {
    "numbers": TrainConfig(vocab=7, length=6, N=2, d_model=8, h=2, batch=4, steps=30),
    "words": TrainConfig.of_task("translate", "zh-en", d_model=8, h=4, batch=4, steps=12),
    "recurrent": TrainConfig(vocab=7, length=6, d_model=8, h=2, batch=4, steps=12, architecture="recurrent"),
}
MUCH = 2**24


@cache
def history_of(name: str) -> History:
    return History.of(list(train(CONFIGS[name])))


@pytest.fixture(params=CONFIGS)
def trained(request: pytest.FixtureRequest) -> tuple[TrainConfig, History]:
    return CONFIGS[request.param], history_of(request.param)


def saved(config: TrainConfig, records: Any, step: int = 12) -> Checkpoint:
    return load(to_bytes(fresh_model(config), config, step, {"loss": [1.0]}, records))


def test_records_come_back_to_the_bit_up_to_the_step_of_the_model(
    trained: tuple[TrainConfig, History], tmp_path: Path
) -> None:
    config, history = trained
    save(tmp_path / "model.safetensors", fresh_model(config), config, 12, None, history.records(12, MUCH))
    loaded = load(tmp_path / "model.safetensors")
    there = history.probe_step <= 12
    assert there.sum() > 2
    assert loaded.records.keys() == set(KEPT)
    for name in KEPT:
        np.testing.assert_array_equal(loaded.records[name], getattr(history, name)[there])
        assert loaded.records[name].dtype == getattr(history, name).dtype
    assert isinstance(load_any(tmp_path / "model.safetensors"), Checkpoint)


def test_what_a_file_tells_is_a_history_with_nothing_where_it_says_nothing(
    trained: tuple[TrainConfig, History],
) -> None:
    _, history = trained
    again = History.from_columns(history.columns(12), history.records(12, MUCH))
    for name in (*SAVED, *KEPT):
        there = (history.step if name in SAVED else history.probe_step) <= 12
        np.testing.assert_array_equal(getattr(again, name), getattr(history, name)[there])
        assert getattr(again, name).dtype == getattr(history, name).dtype
    assert np.isnan(again.tokens_per_second).all()
    assert not len(History.from_columns({"step": [0, 1]}, {}).probe_step)


def test_a_file_without_records_and_one_of_the_format_before_have_none() -> None:
    config = CONFIGS["numbers"]
    content = to_bytes(fresh_model(config), config, 12, {"loss": [1.0]})
    assert load(content).records == {}
    parts = held(content)
    weights = parts.pop("weights")
    older = load(packed(weights, parts | {"format": 2}))
    assert (older.records, older.history) == ({}, {"loss": [1.0]})
    with pytest.raises(NotAModel) as refusal:
        load(packed(weights | {f"{RECORD}probe_step": torch.zeros(1, dtype=torch.int32)}, parts | {"format": 2}))
    assert refusal.value.reason == "extra"


def test_of_more_records_than_there_is_room_for_evenly_many_are_kept(trained: tuple[TrainConfig, History]) -> None:
    config, history = trained
    whole = history.records(config.steps, MUCH)
    size = sum(rows.nbytes for rows in whole.values())
    fewer = history.records(config.steps, size // 2)
    assert sum(rows.nbytes for rows in fewer.values()) <= size // 2
    steps = fewer["probe_step"].tolist()
    assert len(steps) == len(whole["probe_step"]) // 2
    assert (steps[0], steps[-1]) == (0, config.steps)
    assert saved(config, fewer, config.steps).records["probe_step"].tolist() == steps
    assert history.records(config.steps, 10) == {}


Spoil = Any
SPOILED: dict[str, Spoil] = {
    "missing": lambda r: {name: rows for name, rows in r.items() if name != "choices"},
    "unknown": lambda r: r | {"more": np.zeros(3, np.float32)},
    "fewer": lambda r: r | {"choices": r["choices"][1:]},
    "none": lambda r: {name: rows[:0] for name, rows in r.items()},
    "other kind": lambda r: r | {"embedded": r["embedded"].astype(np.float32)},
    "other width": lambda r: r | {"embedded": r["embedded"][..., :-1]},
    "no number": lambda r: r | {"block_norms": r["block_norms"] * np.float32(np.nan)},
    "no token": lambda r: r | {"choices": r["choices"] - 20},
    "a token too far": lambda r: r | {"choices": r["choices"] + 7},
    "backwards": lambda r: r | {"probe_step": r["probe_step"][::-1]},
    "twice": lambda r: r | {"probe_step": r["probe_step"] * 0},
    "before": lambda r: r | {"probe_step": r["probe_step"] - 1},
    "beyond": lambda r: r | {"probe_step": r["probe_step"] + 1},
    "axes": lambda r: r | {"probe_step": r["probe_step"][:, None]},
}


@pytest.mark.parametrize("how", SPOILED)
def test_records_that_are_not_those_of_such_a_run_are_refused(how: str) -> None:
    config = CONFIGS["numbers"]
    records = history_of("numbers").records(config.steps, MUCH)
    with pytest.raises(NotAModel) as refusal:
        saved(config, SPOILED[how](records), config.steps)
    assert refusal.value.reason == "history"


def test_records_of_another_run_are_refused() -> None:
    records = history_of("numbers").records(12, MUCH)
    with pytest.raises(NotAModel, match="not those of a run of 12 steps"):
        saved(CONFIGS["words"], records)


def test_the_notes_of_the_file_stay_short_whatever_is_recorded() -> None:
    config = CONFIGS["numbers"]
    history = history_of("numbers")
    content = to_bytes(fresh_model(config), config, 30, history.columns(30), history.records(30, MUCH))
    length = int.from_bytes(content[:8], "little")
    assert OURS in json.loads(content[8 : 8 + length])["__metadata__"]
    assert length < 20_000
