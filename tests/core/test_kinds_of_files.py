"""Files of other kinds and models in several files: they open, or are called what they are."""

import gzip
import io
import json
import pickle
import zipfile

import numpy as np
import pytest
import safetensors.torch
import torch
from torch import nn

from tests.core.saved import STATE, file_of, opens, refused
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.sharded import refuse_part


def zipped(**entries: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name, content in entries.items():
            target.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return out.getvalue()


def traced() -> bytes:
    out = io.BytesIO()
    torch.jit.save(torch.jit.trace(nn.Linear(2, 2), torch.ones(1, 2)), out)
    return out.getvalue()


KINDS = {
    "Git LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 4\n",
    "HDF5": b"\x89HDF\r\n\x1a\n" + bytes(100),
    "GGUF": b"GGUF" + bytes(100),
    "gzip": gzip.compress(file_of(STATE)),
    "HTML": b"<!DOCTYPE html><title>404</title>",
    "JSON": json.dumps({"model_type": "marian"}).encode(),
    "pickle": pickle.dumps({"a": 1}),
    "ZIP": zipped(model__weights_dot_txt=b"x"),
}


@pytest.mark.parametrize(("kind", "content"), KINDS.items(), ids=KINDS)
def test_a_file_of_another_kind_is_called_by_its_kind(kind: str, content: bytes) -> None:
    assert f"of the kind {kind}" in refused(content, "kind")


def test_arrays_of_numpys_in_a_file_are_called_so() -> None:
    one, many = io.BytesIO(), io.BytesIO()
    np.save(one, np.ones(2))
    np.savez(many, a=np.ones(2))
    for content in (one.getvalue(), many.getvalue()):
        assert "of the kind NumPy" in refused(content, "kind")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_traced_model_is_called_so() -> None:
    assert "of the kind TorchScript" in refused(traced(), "kind")


def shards(count: int, kind: str) -> dict[str, dict[str, torch.Tensor]]:
    names = list(STATE)
    return {
        f"model-{at + 1:05}-of-{count:05}{kind}": {name: STATE[name].clone() for name in names[at::count]}
        for at in range(count)
    }


@pytest.mark.parametrize("kind", [".safetensors", ".bin"])
@pytest.mark.parametrize("indexed", [True, False])
def test_a_model_in_several_files_opens_by_its_folder_its_index_or_a_part(tmp_path, kind: str, indexed: bool) -> None:
    parts = shards(3, kind)
    for name, tensors in parts.items():
        content = safetensors.torch.save(tensors) if kind == ".safetensors" else file_of(tensors)
        (tmp_path / name).write_bytes(content)
    index = tmp_path / f"model{kind}.index.json"
    if indexed:
        where = {name: file for file, tensors in parts.items() for name in tensors}
        index.write_text(json.dumps({"metadata": {}, "weight_map": where}))
        opens(index)
    opens(tmp_path)
    opens(str(tmp_path / next(iter(parts))))
    (tmp_path / list(parts)[1]).unlink()
    assert "in 3 files, of which model-00002-of-00003" in refused(tmp_path, "shard")
    with pytest.raises(NotAModel, match=r"part 2 of 3 of a model") as refusal:
        refuse_part(list(parts)[1])
    assert refusal.value.values == {"part": 2, "count": 3}


def test_a_folder_without_one_model_is_told_what_it_lacks(tmp_path) -> None:
    assert "holds no file of a model" in refused(tmp_path, "folder")
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": "../secret.bin"}}))
    assert "no index of a model's files" in refused(tmp_path, "folder")
    (tmp_path / "model.safetensors.index.json").unlink()
    (tmp_path / "best.pt").write_bytes(file_of(STATE))
    opens(tmp_path)
    (tmp_path / "last.pt").write_bytes(file_of(STATE))
    assert "best.pt, last.pt" in refused(tmp_path, "folder")
    (tmp_path / "last.pt").unlink()
    assert "at most 0 MB are read" in refused(tmp_path, "large", most=100)
    (tmp_path / "__0_0.distcp").write_bytes(b"")
    assert "dcp_to_torch_save" in refused(tmp_path, "distributed")
