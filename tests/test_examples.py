"""The example notebooks run from the top, and their figures display."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import transformer_core
from transformer_core import EncoderDecoder
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.ipynb"))


def shown(path: Path) -> list[Any]:
    """What each cell of code ends with, as a notebook would display it, if it is not None."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    values = []
    for cell in cells:
        if cell["cell_type"] == "code":
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, path.name, "exec"), names)
            if isinstance(last, ast.Expr):
                values.append(eval(compile(ast.Expression(last.value), path.name, "eval"), names))
    return [value for value in values if value is not None]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_without_a_warning_and_is_kept_without_what_it_once_printed(path: Path) -> None:
    assert shown(path)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert not [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]


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
