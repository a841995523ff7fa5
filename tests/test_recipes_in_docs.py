"""The recipes of `docs/recipes.md`: they run in their order, and show what they say they show."""

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.test_readme import ROOT, blocks
from transformer_core.experiments.ablation import scores_without


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """All that the blocks have set."""
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        for block in blocks("docs/recipes.md", "python"):
            exec(compile(block, "docs/recipes.md", "exec"), names)
    return names


def test_tracing_finds_the_word_that_differs(found: dict[str, Any]) -> None:
    """The embedding of the one word that differs brings all of the difference back, every other nothing."""
    (differs,) = (found["clean"] != found["other"])[0].nonzero().flatten().tolist()
    embeddings = found["restored"][0]
    assert embeddings[differs] == pytest.approx(1, abs=1e-3)
    others = torch.arange(len(embeddings)) != differs
    assert embeddings[others].abs().max() < 1e-3
    assert found["most"] > 0 > found["least"]


def test_each_head_of_the_corpus_is_scored_as_it_is_alone(found: dict[str, Any]) -> None:
    model, pairs, ablated = found["model"], found["words"].held_out(100), found["ablated"]
    assert len(ablated) == 1 + 3 * len(model.decoder.layers) * model.decoder.layers[0].self_attn.h
    memory = model.encode(pairs.src, (pairs.src != 0)[:, None])
    head = next(off for off in ablated if off is not None and off.attention.startswith("decoder"))
    assert ablated[head] == scores_without(model, pairs, memory, head).exact_match
    assert min(ablated.values()) < ablated[None]


def test_the_parts_of_a_choice_add_up_to_it(found: dict[str, Any]) -> None:
    assert found["parts"].total == pytest.approx(found["parts"].difference, abs=1e-3)
    assert found["parts"].difference == pytest.approx(float(found["most"]), abs=1e-3)


def test_without_a_look_at_the_word_the_choice_is_lost_and_alignment_is_above_chance(found: dict[str, Any]) -> None:
    (differs,) = (found["clean"] != found["other"])[0].nonzero().flatten().tolist()
    assert int(found["lost"].sum(0).argmax()) == differs
    assert found["looked"].right.float().mean(-1).max() > 2 * found["looked"].chance.mean()


def test_the_gradient_is_the_slope_along_it(found: dict[str, Any]) -> None:
    model, leaf = found["model"], found["held"]["x"]
    step = 1e-3 * leaf.grad / leaf.grad.norm()
    ends = []
    for sign in (1, -1):
        with torch.no_grad(), found["intervene"](model, {"src_embed.1.output": lambda x, sign=sign: x + sign * step}):
            ends.append(float(found["leaning"](found["clean"])))
    assert (ends[0] - ends[1]) / 2e-3 == pytest.approx(float(leaf.grad.norm()), rel=0.05)


def test_both_languages_have_the_same_programs() -> None:
    assert blocks("docs/recipes.md", "python") == blocks("docs/recipes.zh.md", "python")
    assert Path(ROOT / "docs" / "recipes.md").read_text(encoding="utf-8").count("\n## ") == 6
