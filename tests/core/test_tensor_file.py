"""A safetensors file is read as far as its own size bears out what its header says."""

import io
import json
import math
import random
import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch
from torch import nn

from transformer_core import make_model
from transformer_core.training.checkpoint import load, to_bytes
from transformer_core.training.command import main
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.state_dict import load_any
from transformer_core.training.tensor_file import held
from transformer_core.verify import formulas

CONFIG = TrainConfig(vocab=7, length=6, N=2, d_model=8, h=2, d_ff=12, steps=30)
OURS = to_bytes(fresh_model(CONFIG), CONFIG, 20, {"loss": [2.0, 1.0]})
MATRIX = "encoder.layers.0.feed_forward.w_1.weight"  # (12, 8)


def written(header, numbers=b""):
    """A file with a header of one's own."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + numbers


def parts_of(content):
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def entry(*shape, dtype="F32", start=0, end=None):
    return {
        "dtype": dtype,
        "shape": shape,
        "data_offsets": [start, start + 4 * math.prod(shape) if end is None else end],
    }


def damaged(content):
    with pytest.raises(NotAModel) as refusal:
        load_any(content)
    assert refusal.value.reason == "damaged"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_a_state_dict_of_any_width_computes_what_the_formulas_say(dtype):
    numbers = formulas.state_dict(np.random.default_rng(0))
    state = {name: torch.tensor(value).to(dtype) for name, value in numbers.items() if not name.endswith(".pe")}
    found: Any = load_any(safetensors.torch.save(state, {"format": "pt"}), h=formulas.HEADS)
    assert all(torch.equal(found.model.get_parameter(name), value.float()) for name, value in state.items())
    if dtype in (torch.float32, torch.float64):
        expected = formulas.expected(numbers)
        np.testing.assert_allclose(formulas.computed(found.model).numpy(), expected, rtol=0, atol=1e-5)


def test_tensors_that_are_one_and_the_same_are_found_under_both_names(tmp_path):
    """As `safetensors.torch.save_model` leaves out the second, and notes its name."""
    model: Any = make_model(7, 7, 1, 8, 12, 2)
    model.tgt_embed[0].lut.weight = model.src_embed[0].lut.weight = model.generator.proj.weight
    safetensors.torch.save_model(model, tmp_path / "tied.safetensors")
    header, _ = parts_of((tmp_path / "tied.safetensors").read_bytes())
    assert len({"src_embed.0.lut.weight", "tgt_embed.0.lut.weight", "generator.proj.weight"} & header.keys()) == 1
    found = load_any(tmp_path / "tied.safetensors", h=2).model
    for name in ("src_embed.0.lut.weight", "tgt_embed.0.lut.weight", "generator.proj.weight"):
        assert torch.equal(found.get_parameter(name), model.generator.proj.weight)


def test_plain_tensors_keep_shape_kind_and_numbers_also_without_any():
    tensors = {
        "a": torch.arange(6).view(2, 3),
        "b": torch.empty(0, 3),
        "c": torch.tensor(True),
        "d": torch.ones(2).half(),
    }
    found = held(safetensors.torch.save(tensors))
    assert found.keys() == tensors.keys()
    for name, value in tensors.items():
        assert found[name].dtype == value.dtype
        assert torch.equal(found[name], value)


@pytest.mark.parametrize(
    "content",
    [
        bytes(8) + b"{",
        written(b"{"),
        written(b"{}"),
        written(b"{" * 1000),
        written(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
        written(b"{\xff}"),
        written(b'{"a":1}'),
        written({"a": {}}),
        written({"a": None}),
        written({"a": entry(2)}),  # numbers that are not there
        written({"a": entry(2)}, bytes(9)),  # more than there should be
        written({"a": entry(2, end=4)}, bytes(4)),
        written({"a": entry(2, start=4)}, bytes(12)),  # a hole before them
        written({"a": entry(2), "b": entry(2)}, bytes(8)),  # one over the other
        written({"a": entry(2, start=-4)}, bytes(8)),
        written({"a": entry(-2, end=8)}, bytes(8)),
        written({"a": entry(1.5, end=8)}, bytes(8)),
        written({"a": entry(10**30, end=8)}, bytes(8)),
        written({"a": entry(2**62, 4, end=0)}),  # whose product is 0 where it is counted in 64 bits
        written({"a": entry(2**40, end=2**42)}),
        written({"a": entry(*[1] * 9)}, bytes(4)),
        written({"a": entry(2, dtype="F31")}, bytes(8)),
        written({"a": entry(2, dtype="F4", end=1)}, bytes(1)),
        written({"a": entry(2, dtype=3)}, bytes(8)),
        written({"__metadata__": {"a": 1}, "b": entry(2)}, bytes(8)),
        written({"__metadata__": [], "b": entry(2)}, bytes(8)),
        (2**63).to_bytes(8, "little") + b"{}",
        (2**20 + 1).to_bytes(8, "little") + b"{" + b" " * (2**20 + 1),
    ],
)
def test_a_forged_header_is_damaged(content):
    with pytest.raises(NotAModel) as refusal:
        load_any(content)
    assert refusal.value.reason in ("damaged", "parts")
    assert not isinstance(refusal.value.__cause__, MemoryError | AssertionError)  # known before it was asked for


def test_sizes_that_are_claimed_take_no_memory(monkeypatch):
    monkeypatch.setattr(safetensors.torch, "load", lambda content: pytest.fail("it was read"))
    damaged((2**40).to_bytes(8, "little") + b"{" + bytes(100))
    many = {f"{at}": entry(0) for at in range(10_001)}
    damaged(written(many))
    damaged(written({"a": entry(*[1] * 9)}, bytes(4)))


def test_a_shape_without_numbers_and_of_any_size_is_no_matrix_of_a_model():
    state = {name: value.detach() for name, value in make_model(5, 5, 1, 8, 8, 2).named_parameters()}
    header, numbers = parts_of(safetensors.torch.save(state))
    tracemalloc.start()
    for shape in ((0, 2**62), (2**62, 0), (0,) * 8):
        with pytest.raises(NotAModel):
            load_any(written(header | {MATRIX: entry(*shape, start=0, end=0)}, numbers))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20 * len(numbers) + 2**20


PARTS = json.loads(parts_of(OURS)[0]["__metadata__"]["glassformer"])


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ("[]", "damaged"),
        ("3", "damaged"),
        ("", "damaged"),
        ("[" * 100_000, "damaged"),
        ('{"step": ' + "9" * 5000 + "}", "damaged"),
        ("{}", "parts"),
        (json.dumps(PARTS | {"weights": {}}), "damaged"),
        (json.dumps(PARTS | {"format": 5}), "format"),
        (json.dumps(PARTS | {"step": 31}), "step"),
        (json.dumps(PARTS | {"step": 20.0}), "step"),
        (json.dumps(PARTS | {"config": PARTS["config"] | {"rate": math.nan}}), "settings"),
        (json.dumps(PARTS | {"config": PARTS["config"] | {"d_model": 10**9}}), "large"),
        (json.dumps(PARTS | {"config": PARTS["config"] | {"d_model": 16}}), "shape"),
        (json.dumps(PARTS | {"words": "a b"}), "words"),
        (json.dumps(PARTS | {"history": {"loss": [math.inf]}}), "history"),
        (json.dumps(PARTS | {"history": {"loss": [1.0] * 22}}), "history"),
        (json.dumps(PARTS | {"history": {"loss": [10**400]}}), "history"),
        (json.dumps(PARTS | {"more": 1}), "parts"),
    ],
)
def test_notes_that_make_no_sense_are_refused(parts, reason):
    header, numbers = parts_of(OURS)
    assert load(written(header, numbers)).history == {"loss": [2.0, 1.0]}
    with pytest.raises(NotAModel) as refusal:
        load(written(header | {"__metadata__": {"glassformer": parts}}, numbers))
    assert refusal.value.reason == reason


def test_a_truncated_file_is_refused():
    for length in (0, 7, 8, 9, 100, len(OURS) // 2, len(OURS) - 1):
        damaged(OURS[:length])
    damaged(OURS + b"\0")


def test_whatever_is_spoiled_in_it_a_file_is_a_model_or_refused_in_words():
    """No checksum stands in it: a number may be another one afterwards, but never a size."""
    chance, refused, header = random.Random(0), 0, int.from_bytes(OURS[:8], "little")
    for _ in range(400):
        spoiled = bytearray(OURS)
        for _ in range(chance.randrange(1, 4)):
            spoiled[chance.randrange(8 + header)] = chance.randrange(256)
        try:
            found = load_any(bytes(spoiled))
        except NotAModel:
            refused += 1
        else:
            assert sum(parameter.numel() for parameter in found.model.parameters()) == CONFIG.parameters
    assert refused > 200


def test_nothing_that_a_file_says_is_executed(capsys):
    class Hostile:
        def __reduce__(self):
            return print, ("this ran",)

    buffer = io.BytesIO()
    torch.save(Hostile(), buffer)
    damaged(
        written({"a": {"dtype": "U8", "shape": [len(buffer.getvalue())], "data_offsets": [0, 0]}}, buffer.getvalue())
    )
    assert capsys.readouterr().out == ""


def test_other_peoples_notes_are_left_alone():
    layer = nn.Linear(3, 2)
    notes = {"format": "pt", "author": "weight", "weight2": "weight"}
    found = held(safetensors.torch.save(layer.state_dict(), notes))
    assert {"weight", "bias"} <= found.keys()
    assert torch.equal(found["weight"], layer.weight)


def test_without_the_library_a_file_of_it_says_what_to_install_and_other_files_open(monkeypatch, tmp_path, capsys):
    path, other = tmp_path / "model.safetensors", tmp_path / "model.pt"
    path.write_bytes(safetensors.torch.save({"a": torch.ones(2)}))
    torch.save(make_model(5, 5, N=1, d_model=8, d_ff=8, h=2).state_dict(), other)
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    with pytest.raises(ImportError, match="pip install safetensors"):
        load_any(path)
    assert load_any(other, h=2).config.d_model == 8
    assert main(["--out", str(path)]) == 2
    assert "pip install safetensors" in capsys.readouterr().err
