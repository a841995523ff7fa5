"""The GPT and the BERT in `assets`: what they can do, and that their commands make them again."""

import hashlib
import re
from pathlib import Path

import pytest
import torch

from transformer_core import DecoderOnly, load_any
from transformer_core.after_2017.continuing import continued, sampled_continued
from transformer_core.tasks.vocabulary import END, PAD, START
from transformer_core.training import row_run
from transformer_core.training.row_answers import row_answer
from transformer_core.training.row_command import main
from transformer_core.training.row_file import OneStackCheckpoint
from transformer_core.training.row_run import row_right

FOLDER = Path(__file__).parents[2] / "assets" / "model"
README = (FOLDER / "README.md").read_text(encoding="utf-8")


def shipped(name: str) -> OneStackCheckpoint:
    found = load_any(FOLDER / f"{name}.safetensors")
    assert isinstance(found, OneStackCheckpoint)
    assert found.config is not None
    return found


GPT, BERT = shipped("gpt"), shipped("bert")
OTHERS = ("gpt_learned", "gpt_rotary", "gpt_experts", "gpt_unbalanced")
SPANISH = tuple(f"{name}_es" for name in ("gpt", "bert", *OTHERS))
NAMED = {"gpt": GPT, "bert": BERT} | {name: shipped(name) for name in (*OTHERS, *SPANISH)}
every_model = pytest.mark.parametrize("name", NAMED)


@pytest.mark.parametrize("name", ["gpt", "gpt_es"])
def test_every_sentence_held_out_is_translated_when_the_gpt_is_prompted(name: str) -> None:
    """All of them where it was trained; elsewhere the last bits differ, and a sentence or two may go the other way."""
    task = NAMED[name].config.task
    assert int(row_right(NAMED[name].model, task, task.held_out(2000)).sum()) >= 1998


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("two white cats sleep =", "两只白色的猫睡觉"),
        ("I buy two red flowers", "我买两朵红色的花"),
        ("她喝茶", "she drinks tea"),
    ],
)
def test_the_gpt_translates_what_it_is_prompted_with(text: str, answer: str) -> None:
    assert row_answer(GPT, text) == answer
    prompt = torch.tensor([GPT.config.task.prompt(text)])
    assert isinstance(GPT.model, DecoderOnly)
    row = continued(GPT.model, prompt, GPT.config.task.longest, END)
    assert GPT.config.task.vocabulary.text(row[0, prompt.size(1) :].tolist()) == answer


def test_most_rows_that_the_gpt_draws_are_sentences_with_their_translations() -> None:
    task, words = GPT.config.task, GPT.config.task.vocabulary
    translation = task.translation
    starts = torch.full((500, 1), START)
    assert isinstance(GPT.model, DecoderOnly)
    rows = sampled_continued(GPT.model, starts, task.longest, torch.Generator().manual_seed(0), END)
    right = 0
    for row in map(words.until_end, rows.tolist()):
        if task.equals not in row or task.cover in row:
            continue
        equals = row.index(task.equals)
        source, target = (words.names_of(part) for part in (row[1:equals], row[equals + 1 :]))
        if task.equals in row[equals + 1 :]:
            continue
        answer = translation.answer(translation.source.sequence(translation.source.tokens_of(source)))
        right += answer == translation.target.sequence(translation.target.tokens_of(target))
    assert right >= 425


@pytest.mark.parametrize("name", ["bert", "bert_es"])
def test_nearly_every_word_held_out_is_known_when_the_bert_finds_it_covered(name: str) -> None:
    task, model = NAMED[name].config.task, NAMED[name].model
    covered = task.covered_in_turn(task.held_out(300))
    with torch.no_grad():
        said = torch.cat([model.generator(model(rows)).argmax(-1) for rows in covered.rows.split(256)])
    right = ((said == covered.words) | (covered.words == PAD)).all(1)
    assert right.float().mean() > 0.99


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("two <mask> cats sleep = 两 只 白色 的 猫 睡觉", "two white cats sleep = 两只白色的猫睡觉"),
        ("<mask> drinks tea = 她喝茶", "she drinks tea = 她喝茶"),
    ],
)
def test_the_bert_fills_in_what_the_other_language_says(text: str, answer: str) -> None:
    assert row_answer(BERT, text) == answer


def test_alone_the_bert_fills_in_a_word_that_fits() -> None:
    grammar = BERT.config.task.translation.grammar
    for text in ("I buy two <mask> flowers", "she drinks <mask>", "the <mask> sleeps"):
        assert grammar.read(row_answer(BERT, text).split(), 0) is not None


@every_model
def test_the_file_is_small_and_the_one_described(name: str) -> None:
    content = (FOLDER / f"{name}.safetensors").read_bytes()
    assert len(content) < 600_000
    assert hashlib.sha256(content).hexdigest() in README
    (row,) = re.findall(rf"(?m)^\| `{name}\.safetensors` \|(.*)\|$", README)
    config, shape = NAMED[name].config, NAMED[name].model.shape
    parameters = sum(parameter.numel() for parameter in NAMED[name].model.parameters())
    sizes = (shape.N, shape.h, shape.d_model, shape.vocab, parameters, NAMED[name].step)
    assert [cell.strip() for cell in row.split("|")][-6:] == [f"{size:,}" for size in sizes]
    assert (config.seed, config.steps) == (0, NAMED[name].step)


@every_model
def test_the_described_command_means_the_settings_in_the_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_run, "FINAL_ROWS", 4)
    (command,) = re.findall(rf"python -m transformer_core train-row (.*{name}\.safetensors)", README)
    arguments = command.replace(f"{name}.safetensors", str(tmp_path / "model.safetensors")).split()
    assert main([*arguments, "--steps", "1", "--warmup", "0"]) == 0
    found = load_any(tmp_path / "model.safetensors").config.to_dict()
    assert found == NAMED[name].config.to_dict() | {"steps": 1, "warmup": 0}
