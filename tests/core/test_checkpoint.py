"""A saved model: small, read back to the bit, and never trusted."""

import io
import json
import math
import random
import re
import struct
import warnings
import zipfile
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from transformer_core.training.checkpoint import content_of, load, save, to_bytes
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.tensor_file import held

CONFIG = TrainConfig(vocab=7, length=6, N=2, d_model=8, h=2, d_ff=12, steps=30)
MATRIX = "encoder.layers.0.feed_forward.w_1.weight"  # (12, 8)


@pytest.fixture
def parts():
    """What the file of a good model holds in format 1, to be spoiled."""
    weights = {name: weight.detach() for name, weight in fresh_model(CONFIG).named_parameters()}
    return {"format": 1, "config": CONFIG.to_dict(), "step": 20, "weights": weights}


def file_of(parts):
    buffer = io.BytesIO()
    torch.save(parts, buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("history", [{}, {"step": [0, 1], "loss": [2.5, 0.125], "exact_match": [None, 1.0]}])
def test_a_saved_model_comes_back_to_the_bit_ready_to_be_used(tmp_path, history):
    model = fresh_model(CONFIG).train()
    save(tmp_path / "model.safetensors", model, CONFIG, 20, history)
    loaded, config, step, told, _ = load(tmp_path / "model.safetensors")
    assert (config, step, told) == (CONFIG, 20, history)
    assert not loaded.training
    for (name, value), (loaded_name, loaded_value) in zip(
        model.state_dict().items(), loaded.state_dict().items(), strict=True
    ):
        assert name == loaded_name
        assert torch.equal(value, loaded_value)


def test_the_file_is_of_safetensors_leaves_out_the_position_code_and_is_the_same_each_time(tmp_path):
    model, history = fresh_model(CONFIG), {"loss": [1.5]}
    save(tmp_path / "model.safetensors", model, CONFIG, 20, history)
    with safe_open(tmp_path / "model.safetensors", "pt") as file:
        assert set(file.keys()) == {name for name, _ in model.named_parameters()}
        noted = json.loads(file.metadata()["glassformer"])
    assert noted == {"format": 3, "config": CONFIG.to_dict(), "step": 20, "history": history}
    content = (tmp_path / "model.safetensors").read_bytes()
    assert len(content) < 4 * CONFIG.parameters + 10_000
    assert all(to_bytes(model, CONFIG, 20, history) == content for _ in range(5))


@pytest.mark.parametrize("later", [(), ("tied", "learned_positions")])
def test_a_file_of_the_format_before_is_read_with_the_settings_that_there_were(parts, later):
    for name in later:
        del parts["config"][name]
    loaded = load(file_of(parts))
    assert (loaded.config, loaded.step, loaded.history) == (CONFIG, 20, {})
    assert torch.equal(loaded.model.get_parameter(MATRIX), parts["weights"][MATRIX])


def test_a_model_of_words_comes_back_with_its_task_and_is_refused_with_other_words():
    config = TrainConfig.of_task("translate", "zh-en", d_model=8, h=2, steps=30)
    content = to_bytes(fresh_model(config), config, 20)
    loaded = load(content)
    assert loaded.config == config
    chinese, english = loaded.config.vocabularies
    assert (chinese.text(chinese.read("猫")), english.text(english.read("cat"))) == ("猫", "cat")
    parts = held(content)
    other = TrainConfig.of_task("translate", "en-zh").to_dict()
    for change in ({"words": ""}, {"words": parts["words"].swapcase()}, {"config": other}, {"words": 3}, {"word": ""}):
        with pytest.raises(ValueError, match=r"words|saved by this program"):
            load(file_of(parts | change))
    del parts["words"]
    with pytest.raises(ValueError, match="words are not those of the task translate"):
        load(file_of(parts))


def test_a_model_of_numbers_has_no_words(parts):
    assert "words" not in parts
    with pytest.raises(ValueError, match="words are not those of the task copy"):
        load(file_of(parts | {"words": "a b"}))


def test_a_file_that_is_no_archive_is_refused():
    for content in (b"", b"hello", bytes(1000)):
        with pytest.raises(ValueError, match="damaged, or it is not a saved model"):
            load(content)


def test_a_truncated_file_is_refused(parts):
    content = file_of(parts)
    for length in (10, len(content) // 2, len(content) - 1):
        with pytest.raises(ValueError, match="damaged"):
            load(content[:length])


SHIPPED = Path(__file__).parents[2] / "assets" / "model" / "copy.safetensors"


def test_of_an_archive_any_bit_may_be_flipped_and_no_other_model_comes_of_it():
    model, config, step, *_ = load(SHIPPED)
    weights = {name: weight.detach() for name, weight in model.named_parameters()}
    content = file_of({"format": 1, "config": config.to_dict(), "step": step, "weights": weights})
    good = load(content)
    chance = random.Random(0)
    bare = sorted(set(range(len(content))) - checked(content))
    anywhere = [chance.randrange(len(content)) for _ in range(80)]
    refused = 0
    for at in anywhere + chance.sample(bare, 60):
        spoiled = bytearray(content)
        spoiled[at] ^= 1 << chance.randrange(8)
        loaded = loaded_or_refused(bytes(spoiled))
        if loaded is None:
            refused += 1
        else:
            assert at in bare
            assert same(loaded, good)
    assert refused > 80


def checked(content):
    """The places in the file that hold the content of an entry, which a checksum covers; not names, sizes, zeros."""
    places: set[int] = set()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            lengths = content[entry.header_offset + 26 : entry.header_offset + 30]  # of the name and of what follows it
            start = entry.header_offset + 30 + sum(struct.unpack("<HH", lengths))
            places.update(range(start, start + entry.file_size))
    return places


def loaded_or_refused(content):
    try:
        return load(content)
    except ValueError:
        return None


def same(one, other):
    mine, yours = one.model.state_dict(), other.model.state_dict()
    weights = mine.keys() == yours.keys() and all(torch.equal(mine[name], yours[name]) for name in mine)
    return weights and (one.config, one.step) == (other.config, other.step)


class Hostile:
    def __reduce__(self):
        return print, ("this ran",)


def test_a_file_cannot_run_code(parts, capsys):
    with pytest.raises(ValueError, match=r"claims step __builtin__\.print of a run"):
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


def archive_of(*entries):
    """An archive of (name, content), all of it stored as it is."""
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w") as target:
        warnings.simplefilter("ignore")  # of a name that comes twice
        for name, content in entries:
            target.writestr(name, content)
    return packed.getvalue()


def test_an_archive_with_an_entry_twice_is_refused(parts):
    source = zipfile.ZipFile(io.BytesIO(file_of(parts)))
    entries = [(name, source.read(name)) for name in source.namelist()]
    assert load(archive_of(*entries)).config == CONFIG
    with pytest.raises(ValueError, match="damaged"):
        load(archive_of(*entries, entries[-1]))


def test_an_archive_whose_entries_lie_over_one_another_is_refused():
    """Each entry claims all that follows it, so that a file of a size unpacks to its square."""
    content = bytearray(archive_of(*((f"archive/data/{i}", b"") for i in range(50))))
    for at in range(content.index(b"PK\1\2"), len(content)):
        if content[at : at + 4] == b"PK\1\2":
            content[at + 20 : at + 28] = struct.pack("<II", 1000, 1000)
    with pytest.raises(ValueError, match="damaged") as refusal:
        load(bytes(content))
    assert "over one another" in str(refusal.value.__cause__)


def nested_list(levels):
    """A list that is small on paper, for each level holds the one below twice, and endless when written out."""
    content: list = []
    for _ in range(levels):
        content = [content, content]
    return content


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"config": None}, "not a setting of a training run: NoneType"),
        ({"config": {"d_model": 8, "h": 3}}, "cannot be cut into 3 heads"),
        ({"config": {"d_model": 10**9}}, "d_ff must lie between"),
        ({"step": 31}, "step 31 of a run of 30 steps"),
        ({"step": "20"}, "step '20'"),
        ({"step": nested_list(40)}, r"step \[\[\["),
        ({"config": {"seed": nested_list(40)}}, "not words and numbers"),
        ({"config": {3: 4}}, "not words and numbers"),
        ({"config": {"rate": math.nan}}, "rate must be float"),
        ({"format": 99}, "format 99"),
        ({"format": torch.ones(2)}, "format tensor"),
        ({"weights": []}, "do not belong to a model of these settings: list"),
        ({"weights": {1: 2}}, "do not belong to a model of these settings: decoder"),
        ({"extra": 1}, "lacks settings, step or weights"),
        ({"history": [1.0]}, "history is not the numbers of a run of 20 steps"),
        ({"history": {"loss": 1.0}}, "history is not"),
        ({"history": {"loss": ["1.0"]}}, "history is not"),
        ({"history": {"loss": [math.nan]}}, "history is not"),
        ({"history": {"loss": [True]}}, "history is not"),
        ({"history": {"loss": [2**1000, 10**300]}}, "history is not"),
        ({"history": {"loss": [1.0], "rate": []}}, "history is not"),
        ({"history": {"loss": [1.0] * 22}}, "history is not"),
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
        (torch.zeros(12, 8, dtype=torch.complex64), "is not a tensor"),
        (torch.zeros(12, 8).to_sparse(), "is not a tensor"),
        (torch.zeros(12, 8, device="meta"), "has a shape, but no values"),
        ({"weight": torch.zeros(12, 8)}, "is not a tensor"),
        (torch.full((12, 8), torch.nan), "not numbers"),
        (torch.full((12, 8), torch.inf), "not numbers"),
        ([0.0], "is not a tensor"),
    ],
)
def test_a_tensor_that_does_not_fit_is_refused(parts, tensor, words):
    parts["weights"][MATRIX] = tensor
    with pytest.raises(ValueError, match=f"{MATRIX} .*{words}|{words}"):
        load(file_of(parts))


@pytest.mark.filterwarnings("ignore")  # torch says of each that it is new or leaving
@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.quantize_per_tensor(torch.zeros(12, 8), 1.0, 0, torch.quint8),
        lambda: torch.zeros(12, 8).to_sparse_csr(),
        lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]),
    ],
    ids=["quantized", "compressed rows", "nested"],
)
def test_a_tensor_of_an_odd_kind_is_refused(parts, make):
    parts["weights"][MATRIX] = make()
    with pytest.raises(ValueError, match=f"{MATRIX} is not a tensor"):
        load(file_of(parts))


def test_a_tensor_that_repeats_one_number_is_read_as_what_it_says(parts):
    parts["weights"][MATRIX] = torch.ones(1).expand(12, 8)
    assert torch.equal(load(file_of(parts)).model.state_dict()[MATRIX], torch.ones(12, 8))


def test_a_missing_and_a_foreign_tensor_are_named(parts):
    tensor = parts["weights"].pop(MATRIX)
    with pytest.raises(ValueError, match=MATRIX):
        load(file_of(parts))
    parts["weights"] |= {MATRIX: tensor, "encoder.extra": tensor}
    with pytest.raises(ValueError, match=r"encoder\.extra"):
        load(file_of(parts))


@pytest.mark.parametrize(("over", "said"), [(1, "8.000001"), (2**20 // 4, "8.2"), (2**19 + 1, "9"), (9 * 2**20, "17")])
def test_a_file_that_is_too_large_is_never_said_to_be_as_large_as_the_limit(over: int, said: str) -> None:
    most = 8 * 2**20
    with pytest.raises(NotAModel, match=rf"the file has {re.escape(said)} MB; at most 8 MB") as refused:
        content_of(bytes(most + over), most)
    assert refused.value.values == {"size": said, "most": "8"}
