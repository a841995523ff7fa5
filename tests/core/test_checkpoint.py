"""A saved model: small, read back to the bit, and never trusted."""

import io
import pickle
import zipfile

import pytest
import torch

from transformer_core.checkpoint import load, save, to_bytes
from transformer_core.train_config import TrainConfig
from transformer_core.training_run import fresh_model

CONFIG = TrainConfig(vocab=7, length=6, N=2, d_model=8, h=2, d_ff=12, steps=30)
MATRIX = "encoder.layers.0.feed_forward.w_1.weight"  # (12, 8)


@pytest.fixture
def parts():
    """What the file of a good model holds, to be spoiled."""
    model = fresh_model(CONFIG)
    return torch.load(io.BytesIO(to_bytes(model, CONFIG, 20)), weights_only=True)


def file_of(parts):
    buffer = io.BytesIO()
    torch.save(parts, buffer)
    return buffer.getvalue()


def test_a_saved_model_comes_back_to_the_bit_ready_to_be_used(tmp_path):
    model = fresh_model(CONFIG).train()
    save(tmp_path / "model.pt", model, CONFIG, 20)
    loaded, config, step = load(tmp_path / "model.pt")
    assert (config, step) == (CONFIG, 20)
    assert not loaded.training
    for (name, value), (loaded_name, loaded_value) in zip(
        model.state_dict().items(), loaded.state_dict().items(), strict=True
    ):
        assert name == loaded_name
        assert torch.equal(value, loaded_value)


def test_the_file_leaves_out_the_position_code(parts):
    assert not [name for name in parts["weights"] if name.endswith(".pe")]
    assert len(file_of(parts)) < 4 * CONFIG.parameters + 60_000


def test_a_file_that_is_no_archive_is_refused():
    for content in (b"", b"hello", bytes(1000), pickle.dumps({"format": 1})):
        with pytest.raises(ValueError, match="damaged, or it is not a saved model"):
            load(content)


def test_a_truncated_file_is_refused(parts):
    content = file_of(parts)
    for length in (10, len(content) // 2, len(content) - 1):
        with pytest.raises(ValueError, match="damaged"):
            load(content[:length])


class Hostile:
    def __reduce__(self):
        return print, ("this ran",)


def test_a_file_cannot_run_code(parts, capsys):
    with pytest.raises(ValueError, match="damaged, or it is not a saved model"):
        load(file_of(parts | {"step": Hostile()}))
    assert capsys.readouterr().out == ""


def test_an_archive_that_grows_when_unpacked_is_not_opened(parts):
    packed = io.BytesIO()
    source = zipfile.ZipFile(io.BytesIO(file_of(parts)))
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            target.writestr(entry.filename, source.read(entry))
    with pytest.raises(ValueError, match="damaged"):
        load(packed.getvalue())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"config": None}, "not a setting of a training run: NoneType"),
        ({"config": {"d_model": 8, "h": 3}}, "cannot be cut into 3 heads"),
        ({"config": {"d_model": 10**9}}, "d_model must lie between"),
        ({"step": 31}, "step 31 of a run of 30 steps"),
        ({"step": "20"}, "step '20'"),
        ({"format": 99}, "format 99"),
        ({"weights": []}, "do not belong to a model of these settings: list"),
        ({"extra": 1}, "lacks settings, step or weights"),
    ],
)
def test_settings_that_make_no_sense_are_refused(parts, change, words):
    with pytest.raises(ValueError, match=words):
        load(file_of(parts | change))


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (torch.zeros(8, 12), r"has shape \(8, 12\) instead of \(12, 8\)"),
        (torch.zeros(1).expand(12, 8, 10**9), "has shape"),
        (torch.zeros(12, 8, dtype=torch.float64), r"is not a tensor of torch\.float32"),
        (torch.zeros(12, 8).to_sparse(), "is not a tensor"),
        (torch.full((12, 8), torch.nan), "not numbers"),
        (torch.full((12, 8), torch.inf), "not numbers"),
        ([0.0], "is not a tensor"),
    ],
)
def test_a_tensor_that_does_not_fit_is_refused(parts, tensor, words):
    parts["weights"][MATRIX] = tensor
    with pytest.raises(ValueError, match=f"{MATRIX} .*{words}|{words}"):
        load(file_of(parts))


def test_a_missing_and_a_foreign_tensor_are_named(parts):
    tensor = parts["weights"].pop(MATRIX)
    with pytest.raises(ValueError, match=MATRIX):
        load(file_of(parts))
    parts["weights"] |= {MATRIX: tensor, "encoder.extra": tensor}
    with pytest.raises(ValueError, match=r"encoder\.extra"):
        load(file_of(parts))
