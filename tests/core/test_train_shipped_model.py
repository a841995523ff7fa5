"""The models in `assets`: what they can do, and that their commands make them again."""

import hashlib
import re
from itertools import islice
from pathlib import Path

import pytest
import torch

from transformer_core import Batch, copy_sequences, greedy_decode
from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.grammar import english_chinese, english_spanish
from transformer_core.train import train
from transformer_core.training import run
from transformer_core.training.checkpoint import load
from transformer_core.training.command import main
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import answered

FOLDER = Path(__file__).parents[2] / "assets" / "model"
README = (FOLDER / "README.md").read_text(encoding="utf-8")
SHIPPED = load(FOLDER / "copy.safetensors")
WORDS = load(FOLDER / "translate.safetensors")
SPANISH = load(FOLDER / "spanish.safetensors")
DEEP = {name: load(FOLDER / f"{name}.safetensors") for name in ("translate_deep", "spanish_deep")}
PEEKING = load(FOLDER / "peeking.safetensors")
CHOSEN = [("copy", SHIPPED), ("translate", WORDS), ("spanish", SPANISH), *DEEP.items()]


@pytest.mark.parametrize("length", range(3, 11))
def test_it_copies_a_thousand_sequences_of_every_length_without_a_mistake(length):
    sequences = copy_sequences(11, 1000, length, generator=torch.Generator().manual_seed(length))
    assert bool(answered(SHIPPED.model, Pairs(sequences, sequences)).all())


def test_it_decodes_the_sequence_of_the_notes():
    batch = Batch(torch.tensor([[1, 3, 2, 5, 4, 6, 7, 8, 9, 10]]))
    with torch.no_grad():
        assert greedy_decode(SHIPPED.model, batch.src, batch.src_mask, 10).tolist() == batch.src.tolist()


@pytest.mark.parametrize(("length", "low", "high"), [(11, 0.85, 0.95), (12, 0.25, 0.35), (13, 0.0, 0.07)])
def test_it_is_as_unsure_beyond_the_trained_length_as_its_description_says(length, low, high):
    sequences = copy_sequences(11, 1000, length, generator=torch.Generator().manual_seed(0))
    assert low <= answered(SHIPPED.model, Pairs(sequences, sequences)).float().mean() <= high


@pytest.mark.parametrize("shipped", [WORDS, SPANISH, *DEEP.values()], ids=["translate", "spanish", *DEEP])
@pytest.mark.parametrize("swapped", [False, True], ids=["every other way", "the other way"])
def test_every_sentence_held_out_is_translated_in_both_directions(shipped, swapped):
    """All of them where it was trained; elsewhere the last bits differ, and a sentence or two may go the other way."""
    task = shipped.config.words
    assert task is not None
    src, tgt = task.held_out(2000)  # one vocabulary on both sides: a pair turned round is a pair
    pairs = zip(*(side.split(250) for side in ((tgt, src) if swapped else (src, tgt))))
    assert sum(int(answered(shipped.model, Pairs(*part)).sum()) for part in pairs) >= 1998


def test_a_sentence_is_translated_word_by_word():
    for shipped, text, translation in (
        (WORDS, "the black dog likes that white cat", "黑色的狗喜欢那只白色的猫"),
        (WORDS, "她喝茶", "she drinks tea"),
        (SPANISH, "I buy two red flowers every day", "yo compro dos flores rojas cada día"),
        (SPANISH, "Where do the cats sleep?", "¿dónde duermen los gatos?"),
        (SPANISH, "¿Donde descansa la profesora feliz?", "where does the happy teacher rest?"),
    ):
        words, _ = shipped.config.vocabularies
        src = torch.tensor([words.sequence(words.read(text))])
        length = shipped.config.length
        (output,) = greedy_decode(shipped.model, src, Batch(src).src_mask, length, end=words.end).tolist()
        assert output[-1] == words.end
        assert words.text(output) == translation


@pytest.mark.parametrize(
    ("name", "shipped", "largest"),
    [("copy", SHIPPED, 1_200_000), ("translate", WORDS, 1_000_000), ("spanish", SPANISH, 1_000_000)]
    + [(name, deep, 500_000) for name, deep in DEEP.items()],
)
def test_the_file_is_small_and_the_one_described(name, shipped, largest):
    content = (FOLDER / f"{name}.safetensors").read_bytes()
    assert len(content) < largest
    assert hashlib.sha256(content).hexdigest() in README
    (row,) = re.findall(rf"(?m)^\| `{name}\.safetensors` .*$", README)
    config = shipped.config
    sizes = [config.N, config.h, config.d_model, config.vocab, config.parameters, shipped.step]
    assert row.split(" | ")[4:] == [f"{size:,}" for size in sizes[:-1]] + [f"{sizes[-1]:,} |"]
    assert config.seed == 0


def test_without_the_mask_the_loss_is_near_nothing_and_no_sentence_is_translated():
    content = (FOLDER / "peeking.safetensors").read_bytes()
    assert len(content) < 300_000
    assert hashlib.sha256(content).hexdigest() in README
    config = PEEKING.config
    assert not config.look_ahead
    sizes = f"{config.N} layer, {config.h} heads, d_model {config.d_model}, {config.parameters:,} parameters"
    assert f"{sizes}, {config.steps} updates" in " ".join(README.split())
    src, tgt = config.words.held_out(200)
    batch = Batch(src, tgt, look_ahead=False)
    with torch.no_grad():
        log_probs = PEEKING.model.generator(PEEKING.model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
    right = log_probs.gather(-1, batch.tgt_y.unsqueeze(-1))[batch.tgt_y != 0]
    assert -right.mean() < 0.02
    assert not answered(PEEKING.model, Pairs(src, tgt)).any()


@pytest.mark.parametrize(
    ("name", "shipped"),
    [*CHOSEN, ("peeking", PEEKING)],
)
def test_the_described_command_means_the_settings_in_the_file(name, shipped, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "FINAL_SEQUENCES", 4)
    (command,) = re.findall(rf"python -m transformer_core\.train (.*{name}\.safetensors)", README)
    arguments = command.replace(f"{name}.safetensors", str(tmp_path / "model.safetensors")).split()
    assert main([*arguments, "--steps", "1"]) == 0
    assert load(tmp_path / "model.safetensors").config.to_dict() == shipped.config.to_dict() | {"steps": 1}
    assert shipped.step == shipped.config.steps


def test_the_default_settings_take_a_twelfth_of_the_arithmetic_of_the_model_that_copies():
    first, shipped = (c.steps * c.batch * c.parameters for c in (TrainConfig(), SHIPPED.config))
    assert round(shipped / first) == 12
    assert "a twelfth of the arithmetic" in " ".join(README.split())


def test_the_sentences_are_as_long_as_the_description_says():
    english, chinese = english_chinese().longest
    assert f"at most {english} words in English and {chinese} in Chinese" in " ".join(README.split())
    assert len(set(english_spanish().longest)) == 1
    assert f"at most {english_spanish().longest[0]} words in either language" in " ".join(README.split())


@pytest.mark.parametrize("shipped", [SPANISH, PEEKING], ids=["spanish", "peeking"])
def test_the_same_training_takes_the_steps_that_its_file_tells_of(shipped):
    """Not to the bit: another processor rounds otherwise, and what differs grows from step to step."""
    reports = [*islice(train(shipped.config), 20)]
    for name in ("loss", "gradient_norm"):
        assert [getattr(one, name) for one in reports] == pytest.approx(shipped.history[name][:20], rel=1e-4)
