"""What a saved file holds is read without calling anything, and costs no more than the file."""

import io
import pickle
import zipfile

import pytest
import torch

from transformer_core.training.archive import Other, unpacked
from transformer_core.training.not_a_model import NotAModel


def saved(value):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def archive(program, **numbers):
    """A file with a pickle's own program, and entries of numbers."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        target.writestr("archive/data.pkl", program)
        for name, data in numbers.items():
            target.writestr(f"archive/data/{name[1:]}", data)
    return buffer.getvalue()


def program_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        return source.read("archive/data.pkl")


def test_plain_values_and_tensors_come_back_as_they_were():
    table = torch.arange(12.0).view(3, 4)
    plain, views = [1, -70000, 2**40, 1.5, None, True, "词"], (table.t(), table[1:, ::2])
    found = unpacked(saved({"a": table, "b": plain, "c": {3: views}}))
    assert found["b"] == plain
    assert torch.equal(found["a"], table)
    for one, other in zip(found["c"][3], views, strict=True):
        assert torch.equal(one, other)
    assert found["a"].untyped_storage().data_ptr() == found["c"][3][0].untyped_storage().data_ptr()


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool, torch.complex64]
)
def test_a_tensor_keeps_its_kind(dtype):
    value = torch.tensor([0, 1, 1]).to(dtype)
    found = unpacked(saved(value))
    assert found.dtype == dtype
    assert torch.equal(found, value)


def test_a_state_dict_is_a_dictionary_and_a_parameter_its_numbers():
    layer = torch.nn.Linear(2, 3)
    found = unpacked(saved(layer.state_dict()))
    assert list(found) == ["weight", "bias"]
    assert torch.equal(unpacked(saved({"w": layer.weight}))["w"], layer.weight)
    assert unpacked(saved({"w": torch.empty(0, 3)}))["w"].shape == (0, 3)


def test_a_tensor_of_an_odd_kind_is_known_by_its_name_alone():
    found = unpacked(saved({"w": torch.zeros(2, 2).to_sparse()}))
    assert isinstance(found["w"], Other)


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("bytearray", b"\x80\x02cbuiltins\nbytearray\nJ\x00\x00\x00\x40\x85R."),  # 1 GB, from a file of 300 bytes
        ("eval", b"\x80\x02cbuiltins\neval\nX\x01\x00\x00\x001\x85R."),
        ("Model", b"\x80\x02c__main__\nModel\n)R."),
    ],
)
def test_nothing_that_a_file_names_is_called(name, program):
    with pytest.raises(NotAModel, match=f"holds more than numbers and words.*{name}") as refusal:
        unpacked(archive(program))
    assert refusal.value.reason == "code"


def test_a_kind_of_storage_is_not_made_of_a_size_that_a_file_names():
    assert isinstance(unpacked(archive(b"\x80\x02ctorch\nFloatStorage\nJ\x00\x00\x00\x40\x85R.")), Other)


def test_a_key_of_which_the_hash_would_take_for_ever_is_refused():
    doubled = b")" + b"q\x00h\x00\x86" * 200  # each tuple holds the one before twice
    with pytest.raises(NotAModel, match="damaged"):
        unpacked(archive(b"\x80\x02}" + doubled + b"K\x01s."))


@pytest.mark.parametrize("place", ["entry", "count"])
def test_numbers_whose_entry_or_count_would_take_for_ever_to_read_are_refused(place):
    parts = {"entry": b"X\x01\x00\x00\x000", "count": b"K\x01"}
    parts[place] = b")" + b"q\x00h\x00\x86" * 200  # each tuple holds the one before twice
    storage = b"X\x07\x00\x00\x00storagectorch\nFloatStorage\n"
    with pytest.raises(NotAModel, match="damaged"):
        unpacked(archive(b"\x80\x02(" + storage + parts["entry"] + b"N" + parts["count"] + b"tQ.", _0=bytes(4)))


def test_a_list_of_entries_longer_than_any_models_is_not_read(monkeypatch):
    content = archive(program_of(saved([1])), **{f"_{at}": b"" for at in range(20)})
    assert unpacked(content) == [1]
    monkeypatch.setattr("transformer_core.training.archive.MOST_ENTRIES", 20)
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("it was read"))
    with pytest.raises(NotAModel, match="damaged") as refusal:
        unpacked(content)
    assert "as many tensors" in str(refusal.value.__cause__)


def test_a_tensor_reaches_no_further_than_the_numbers_in_the_file():
    content = saved(torch.arange(4.0))
    program, data = program_of(content), torch.arange(4.0).numpy().tobytes()
    assert torch.equal(unpacked(archive(program, _0=data)), torch.arange(4.0))
    for change in (
        program.replace(b"K\x04\x85", b"K\x05\x85"),  # five numbers of four
        program.replace(b"QK\x00", b"QK\x01"),  # from the second on
        program.replace(b"K\x04t", b"K\x05t"),  # a storage of five
        program.replace(b"QK\x00", b"QJ\xff\xff\xff\xff"),  # from the one before the first on
    ):
        assert change != program
        with pytest.raises(NotAModel, match="damaged"):
            unpacked(archive(change, _0=data))


PROGRAMS = [b"", b".", b"\x80\x02", b"\x80\x02K\x01", b"}a.", b"K\x01\x85R.", b"s.", b"h\x07.", b"t."]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_that_makes_nothing_is_damaged(program):
    with pytest.raises(NotAModel, match="damaged"):
        unpacked(archive(program))


def test_bytes_longer_than_the_file_are_not_set_aside():
    with pytest.raises(NotAModel, match="damaged"):
        unpacked(archive(pickle.PROTO + b"\x05" + pickle.BYTEARRAY8 + (2**40).to_bytes(8, "little") + b"."))


def test_a_program_without_end_is_left_where_no_model_is_as_long():
    with pytest.raises(NotAModel, match="damaged"):
        unpacked(archive(b"\x80\x02" + b"N" * 200_000 + b"."))


def test_numbers_written_from_their_other_end_are_refused():
    content = saved(torch.ones(1)).replace(b"little", b"bigend")
    with pytest.raises(NotAModel, match="damaged"):
        unpacked(content)
