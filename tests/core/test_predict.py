"""The command that lets a trained model answer."""

import json
import sys
from pathlib import Path

import pytest
import torch

from transformer_core import __main__ as program
from transformer_core.masks import padding_mask, target_mask
from transformer_core.predict import main, predicted
from transformer_core.tasks.vocabulary import PAD, START
from transformer_core.trace import record
from transformer_core.training.checkpoint import load

FOLDER = Path(__file__).parents[2] / "assets" / "model"
SPANISH, COPY = str(FOLDER / "spanish.safetensors"), str(FOLDER / "copy.safetensors")


def test_texts_are_translated_a_line_each(capsys):
    assert main([SPANISH, "I buy two red flowers every day", "¿Dónde duermen los gatos?"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "I buy two red flowers every day → yo compro dos flores rojas cada día",
        "¿Dónde duermen los gatos? → where do the cats sleep?",
    ]


def test_the_attention_is_the_models_own_of_one_pass_over_the_whole_output():
    checkpoint = load(SPANISH)
    found = predicted(checkpoint, "two white cats sleep")
    source, target = checkpoint.config.vocabularies
    src = torch.tensor([source.sequence(source.read("two white cats sleep"))])
    given = torch.tensor([[START, *target.tokens_of(found.outputs[:-1])]])
    with torch.no_grad(), record(checkpoint.model) as trace:
        out = checkpoint.model(src, given, padding_mask(src, PAD), target_mask(given, PAD))
        log_probs = checkpoint.model.generator(out)
    weights = trace["decoder.layers.0.src_attn.weights"][0].mean(0)
    assert found.attention.shape == (5, 6)
    torch.testing.assert_close(found.attention, weights, rtol=0, atol=1e-5)
    assert found.log_prob == pytest.approx(float(log_probs.amax(-1).sum()), abs=1e-4)


def test_a_table_has_a_row_for_each_output_token_and_its_rows_sum_to_one(capsys):
    assert main([SPANISH, "two white cats sleep", "--attention"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()[1:]
    assert head.split() == ["⟨s⟩", "two", "white", "cats", "sleep", "⟨/s⟩"]
    assert [row.split()[0] for row in rows] == ["dos", "gatos", "blancos", "duermen", "⟨/s⟩"]
    for row in rows:
        assert sum(int(share.rstrip("%")) for share in row.split()[1:]) == pytest.approx(100, abs=3)


def test_numbers_too_as_an_object_a_line(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", iter(["3 4 5\n", "\n", "7 2\n"]))
    assert main([COPY, "-", "--json"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["source"], first["output"], second["output"]) == ("3 4 5", "3 4 5", "7 2")
    assert [len(row) for row in first["attention"]] == [len(first["sources"])] * len(first["outputs"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([COPY, "9 99"], "'9 99': 99 is none of the words; near it: 9"),
        ([SPANISH, ""], "'': there is no word in an empty text"),
        ([SPANISH, "two dragons"], "dragons is none of the words"),
    ],
)
def test_a_text_that_cannot_be_read_is_said_and_the_others_are_answered(arguments, sentence, capsys):
    file, text = arguments
    known = "3" if file == COPY else "cats"
    assert main([file, text, known]) == 2
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.out.startswith(f"{known} → ")


@pytest.mark.parametrize(
    ("file", "sentence"), [("missing.pt", "missing.pt: No such file"), (__file__, "not a saved model")]
)
def test_a_file_that_is_no_model_is_refused(file, sentence, capsys):
    with pytest.raises(SystemExit) as end:
        main([file, "1 2"])
    assert end.value.code == 2
    assert sentence.split(":")[0] in capsys.readouterr().err


def test_the_program_has_both_commands(monkeypatch, capsys, tmp_path):
    file = str(tmp_path / "a.safetensors")
    monkeypatch.setattr(sys, "argv", ["transformer_core", "train", "--steps", "1", "--quiet", "--out", file])
    assert program.main() == 0
    monkeypatch.setattr(sys, "argv", ["transformer_core", "predict", file, "2 3"])
    assert program.main() == 0
    assert "2 3 → " in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["transformer_core", "bogus"])
    with pytest.raises(SystemExit):
        program.main()
