"""Models of one stack in files: ours, and the folders of `transformers`; what is spoilt is refused in words."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.core.hugging_rows import MODELS, gpt2, llama
from tests.core.one_stack import SWITCHES, logits, made, rows
from transformer_core import load_any
from transformer_core.after_2017.hugging_face import from_transformers
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_file import OneStackCheckpoint, save_one_stack
from transformer_core.training.row_run import fresh_one_stack
from transformer_core.training.tensor_file import packed
from ui.run_limits import check_drawn

CONFIG = RowConfig(N=1, d_model=12, h=3, steps=60)


def refused(content: Any, reason: str, **how: Any) -> str:
    with pytest.raises(NotAModel) as refusal:
        load_any(content, **how)
    assert refusal.value.reason == reason
    return str(refusal.value)


def file_of(weights: dict[str, Any] | None = None, run: Any = None, step: Any = 3, **changes: Any) -> bytes:
    """A file of a model of CONFIG, with something changed in its shape."""
    model = fresh_one_stack(CONFIG)
    known = {"shape": asdict(model.shape) | changes, "run": CONFIG.to_dict() if run is None else run}
    weights = {name: value.detach() for name, value in model.named_parameters()} | (weights or {})
    return packed(weights, {"format": 5, "config": known, "step": step})


@pytest.mark.parametrize("kind", ["decoder", "encoder"])
@pytest.mark.parametrize("switches", SWITCHES.values(), ids=SWITCHES)
def test_a_model_of_any_shape_comes_back_as_it_was(kind: str, switches: dict[str, Any], tmp_path: Path) -> None:
    model = made(kind, **switches)
    save_one_stack(tmp_path / "model.safetensors", model)
    found = load_any(tmp_path / "model.safetensors")
    assert isinstance(found, OneStackCheckpoint)
    assert type(found.model) is type(model)
    assert found.model.shape == model.shape
    assert torch.equal(logits(found.model, rows()), logits(model, rows()))
    assert not found.model.training


def test_a_file_has_the_settings_of_its_run(tmp_path: Path) -> None:
    save_one_stack(tmp_path / "model.safetensors", fresh_one_stack(CONFIG), CONFIG, 7)
    found = load_any(tmp_path / "model.safetensors")
    assert isinstance(found, OneStackCheckpoint)
    assert (found.config, found.step) == (CONFIG, 7)


def test_a_file_from_before_there_were_experts_is_read() -> None:
    """Of a run, too: what its settings do not say has its default."""
    model, new = fresh_one_stack(CONFIG), {"experts", "top_k", "balance"}
    known = {
        name: {setting: value for setting, value in said.items() if setting not in new}
        for name, said in {"shape": asdict(model.shape), "run": CONFIG.to_dict()}.items()
    }
    weights = {name: value.detach() for name, value in model.named_parameters()}
    found = load_any(packed(weights, {"format": 5, "config": known, "step": 3}))
    assert isinstance(found, OneStackCheckpoint)
    assert (found.config, found.step) == (CONFIG, 3)
    assert torch.equal(
        logits(found.model, rows() % CONFIG.shape.vocab), logits(model.eval(), rows() % CONFIG.shape.vocab)
    )


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_a_folder_of_transformers_is_read(make: Any, tmp_path: Path) -> None:
    theirs = make()
    theirs.save_pretrained(tmp_path)
    found = load_any(tmp_path)
    assert isinstance(found, OneStackCheckpoint)
    assert torch.equal(logits(found.model, rows()), logits(from_transformers(theirs), rows()))


def test_half_precision_is_read_as_whole(tmp_path: Path) -> None:
    gpt2().to(torch.bfloat16).save_pretrained(tmp_path)
    assert {weight.dtype for weight in load_any(tmp_path).model.parameters()} == {torch.float32}


def test_what_the_chapters_cannot_draw_is_refused_where_it_is_to_be_drawn(tmp_path: Path) -> None:
    assert "encoder-decoders" in refused(file_of(), "one_stack", check=check_drawn)
    gpt2().save_pretrained(tmp_path)
    assert "GPT-2" in refused(tmp_path, "otherwise", check=check_drawn)


@pytest.mark.parametrize(
    ("change", "reason", "message"),
    [
        ({"N": 10**9}, "settings", "more layers"),
        ({"experts": 10**6}, "settings", "more layers, experts"),
        ({"max_len": 10**8}, "settings", "positions"),
        ({"d_model": 1 << 40}, "settings", "d_model"),
        ({"d_model": 24}, "settings", "run is not one of a model of its shape"),
        ({"d_model": 24, "run": {}}, "settings", "run is not one of a model of its shape"),
        ({"h": 0}, "settings", "h must be at least 1"),
        ({"h": True}, "settings", "h = True"),
        ({"window": "3"}, "settings", "window = '3'"),
        ({"norm_eps": float("nan")}, "settings", "norm_eps = nan"),
        ({"kind": "both"}, "settings", "kind must be one of"),
        ({"heads": 3}, "settings", "shape is not that"),
        ({"run": {"rate": 0.0}}, "settings", "above 0"),
        ({"run": {"kind": ["decoder"]}}, "settings", "a word or a number"),
        ({"run": {"N": 99}}, "settings", "not one of a model of its shape"),
        ({"run": {"direction": "en-fr"}}, "settings", "direction"),
        ({"step": 61}, "step", "step 61 of a run of 60"),
        ({"step": "3"}, "step", "step '3'"),
        ({"weights": {"generator.proj.bias": torch.zeros(2)}}, "shape", "generator.proj.bias has shape"),
        ({"weights": {"more": torch.zeros(2)}}, "extra", "more"),
    ],
)
def test_a_spoilt_file_is_refused_in_words(change: dict[str, Any], reason: str, message: str) -> None:
    assert message in refused(file_of(**change), reason)


@pytest.mark.parametrize(("kind", "make"), [("decoder", "make_gpt(…)"), ("encoder", "make_bert(…)")])
def test_of_a_state_dict_alone_it_is_said_which_model_takes_it(kind: str, make: str) -> None:
    model = made(kind)
    assert f"; {make} takes it, with load_state_dict" in refused(model.state_dict(), "part")
    again = made(kind, seed=1)
    again.load_state_dict(model.state_dict())
    assert torch.equal(logits(again, rows()), logits(model, rows()))
    del model.generator
    assert f"; make_model(…).{kind} takes it" in refused(model.state_dict(), "part")


def test_a_file_without_its_parts_is_refused() -> None:
    assert "lacks the shape" in refused(packed({"a": torch.zeros(1)}, {"format": 5, "config": 3, "step": 0}), "parts")


def test_a_model_that_takes_too_much_is_refused_before_it_is_built() -> None:
    refused(file_of(), "large", most=2**14)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_hidden_layers": 10**8}, "more layers"),
        ({"hidden_act": "gelu"}, "hidden_act = 'gelu'"),
        ({"num_attention_heads": 0}, "the model in the folder is not read here"),
        ({"vocab_size": None}, "vocab = None"),
        ({"num_hidden_layers": 1}, "is no parameter"),
        ({"num_hidden_layers": 3}, "is missing"),
    ],
)
def test_a_spoilt_folder_is_refused_in_words(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    llama().save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    assert message in refused(tmp_path, "transformers")


def test_sizes_that_are_not_those_of_the_weights_are_refused(tmp_path: Path) -> None:
    llama().save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"vocab_size": 10**9}))
    assert "instead of (1000000000, 24)" in refused(tmp_path, "shape")
