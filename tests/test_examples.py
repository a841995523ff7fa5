"""The example notebooks run from the top, and their figures display."""

import json
from pathlib import Path
from typing import Any

import pytest

import transformer_core
from examples.execute import MOST, executed
from transformer_core import EncoderDecoder
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.ipynb"))


def shown(path: Path) -> list[Any]:
    """What each cell of code ends with, as a notebook would display it, if it is not None."""
    return executed(path)[1]


def kinds(notebook: dict[str, Any]) -> list[list[str]]:
    """Of what each cell shows: text, a figure, a printed line."""
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [[kind for one in cell["outputs"] for kind in one.get("data", {"stdout": ""})] for cell in code]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_without_a_warning_and_shows_again_what_is_stored_of_it(path: Path) -> None:
    stored = json.loads(path.read_text(encoding="utf-8"))
    notebook, values = executed(path)
    assert values
    assert kinds(notebook) == kinds(stored)
    assert ["text/html", "text/plain"] in kinds(stored)
    assert path.stat().st_size < MOST


def test_a_patched_embedding_brings_the_difference_back_and_own_pairs_are_learned() -> None:
    stored = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in EXAMPLES}
    printed = {name: "".join(_lines(notebook)) for name, notebook in stored.items()}
    assert "'white': 1.0" in printed["activation_patching"]
    assert "held-out targets written without a mistake: " in printed["own_pairs"]


def _lines(notebook: dict[str, Any]) -> list[str]:
    outputs = [one for cell in notebook["cells"] for one in cell.get("outputs", [])]
    return [line for one in outputs for line in one.get("text", [])]


def test_the_own_model_translates_and_its_attention_is_drawn() -> None:
    (path,) = [path for path in EXAMPLES if path.stem == "own_model"]
    _, *figures, shapes, difference, answers = shown(path)
    assert [figure._repr_html_().count("<svg") for figure in figures] == [4, 1]
    assert {"src_embed.0.rows", "decoder.layers.0.src_attn.weights", "generator.log_probs"} < shapes.keys()
    assert difference < 1e-5
    read, said = zip(*answers)
    assert said[:-1] == read[1:]  # the model is right about every word


def test_of_a_random_marian_heads_alignment_and_remarks_are_shown_and_held_to_its_own_weights() -> None:
    (path,) = [path for path in EXAMPLES if path.stem == "hugging_face"]
    heads, one, alignment, remarks, (difference, off), shapes = shown(path)
    assert [figure._repr_html_().count("<svg") for figure in (heads, one, alignment)] == [4, 1, 1]
    assert (len(alignment.rows), alignment.columns) == (7, ["the", "cat", "sleeps", "under", "the", "table", "</s>"])
    assert any("MarianSinusoidalPositionalEmbedding" in remark for remark in remarks)
    assert max(difference, off) < 1e-5
    assert shapes["decoder.layers.1.src_attn.weights"] == (1, 4, 7, 7)


def test_where_the_package_came_alone_the_notebook_trains_the_model_that_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a plain install: no folder of assets beside the package, nor where the notebook lies."""
    trained: list[TrainConfig] = []

    def train_to(config: TrainConfig, step: int) -> EncoderDecoder:
        assert step == config.steps
        trained.append(config)
        return fresh_model(config).eval()

    monkeypatch.setattr(transformer_core, "__file__", str(tmp_path / "packages" / "transformer_core" / "__init__.py"))
    monkeypatch.setattr("transformer_core.train.train_to", train_to)
    monkeypatch.chdir(tmp_path)
    (path,) = [path for path in EXAMPLES if path.stem == "own_model"]
    assert shown(path)
    assert trained == [TrainConfig.of_task("translate")]
