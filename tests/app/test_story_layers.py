"""What the story of layers claims, held to the model's own passes."""

from typing import TypeVar

import numpy as np
import pytest
import torch

from tests.app.conftest import Open
from tests.app.telling import telling
from transformer_core import PAD, START, greedy_decode, intervene, padding_mask, record
from transformer_core.experiments.interventions import without_residual
from ui.figures.actors import Actor, Grid, Word
from ui.figures.number import number
from ui.model.current_model import ModelAtHand
from ui.sections.story import Told

SENTENCES = {"translate": "my teacher reads a new book in the library", "trained": "1 5 5 2 8"}
BOTH = pytest.mark.parametrize("model", SENTENCES)

A = TypeVar("A", bound=Actor)


def scenes_of(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, **link: str
) -> tuple[dict[str, Told], ModelAtHand, torch.Tensor]:
    """The scenes by name on the wide stage, the model and its source."""
    page, _, scenes = telling("layers", open_link, monkeypatch, **link)
    return {scene.name: one for scene, one, _ in scenes}, page.at_hand, torch.tensor([page.typed.src])


def last(scene: Told, kind: type[A]) -> dict[str, A]:
    return {actor.name: actor for actor in scene.beats[-1].actors if isinstance(actor, kind)}


def strip(scene: Told, name: str) -> np.ndarray:
    return np.asarray(last(scene, Grid)[name].values)[0]


@BOTH
def test_each_sub_layer_adds_to_what_is_on_the_belt(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    scenes, at_hand, src = scenes_of(open_link, monkeypatch, model=model, src=SENTENCES[model])
    with torch.no_grad(), record(at_hand.load()) as trace:
        at_hand.load().encode(src, padding_mask(src, PAD))
    row = int(str(scenes["attention"].settings["sum_cell"]).split(".")[1])
    start = strip(scenes["belt"], "embedding") + strip(scenes["belt"], "code")
    assert strip(scenes["belt"], "x 0") == pytest.approx(start, abs=1e-5)
    for place, name in enumerate(("attention", "network")):
        scene, path = scenes[name], f"encoder.layers.0.sublayer.{place}"
        total = strip(scene, f"x {place}") + strip(scene, f"added {place}")
        assert strip(scene, f"x {place + 1}") == pytest.approx(total, abs=1e-5)
        assert strip(scene, f"x {place + 1}") == pytest.approx(trace[f"{path}.output"][0, row].numpy(), abs=1e-5)
        sizes = [trace[f"{path}.{of}"][0, row].norm() for of in ("input", "branch", "output")]
        assert [scene.said[of] for of in ("before", "added", "after")] == [number(float(one), 3) for one in sizes]
    assert scenes["network"].said["sums"] == 2 * at_hand.config.N


@BOTH
def test_layer_norm_gives_every_strip_one_size(open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    scenes, *_ = scenes_of(open_link, monkeypatch, model=model, src=SENTENCES[model])
    scene = scenes["norm"]
    before, after = ([one for one in beat.actors if isinstance(one, Grid)] for beat in scene.beats)
    spreads = [np.asarray(one.values)[0].std(ddof=1) for one in before]
    assert len({one.ends for one in (*before, *after)}) == 1, "sizes are compared"
    assert max(spreads) > min(spreads)
    for one in after:
        assert np.asarray(one.values)[0].std(ddof=1) == pytest.approx(1, abs=1e-4)
    assert {word.text for name, word in last(scene, Word).items() if name.startswith("figure")} == {"1"}
    assert scene.words == ""


@BOTH
def test_unhooked_the_word_fades_and_another_output_is_written(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    scenes, at_hand, src = scenes_of(open_link, monkeypatch, model=model, src=SENTENCES[model])
    paths = [f"encoder.layers.{n}.sublayer.{i}" for n in range(at_hand.config.N) for i in range(2)]
    changes = {name: change for path in paths for name, change in without_residual(path).items()}
    mask = padding_mask(src, PAD)
    with torch.no_grad():
        outputs = {}
        for which, change in (("hooked", {}), ("unhooked", changes)):
            with intervene(at_hand.load(), change), record(at_hand.load()) as trace:
                ids = greedy_decode(at_hand.load(), src, mask, at_hand.most(src[0].tolist()), START, at_hand.target.end)
            row = int(str(scenes["attention"].settings["sum_cell"]).split(".")[1])
            start, end = trace[f"{paths[0]}.input"][0, row], trace[f"{paths[-1]}.output"][0, row]
            like = float(torch.nn.functional.cosine_similarity(start, end, dim=0))
            assert scenes["fading"].said[which] == number(like, 2)
            outputs[which] = (like, at_hand.target.labels(ids[0].tolist()))
    assert abs(outputs["unhooked"][0]) < abs(outputs["hooked"][0])
    assert scenes["fading"].words == ""
    words = last(scenes["output"], Word)
    for which, (_, wanted) in outputs.items():
        assert [words[f"{which} word {at}"].text for at in range(len(wanted))] == wanted
    assert outputs["hooked"][1] != outputs["unhooked"][1]
    assert scenes["output"].words == ""


def test_a_model_that_normalises_after_each_sum_says_so(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    link = {"model": "run", "run": "norm_first:false,N:3,d_model:16,h:2,steps:4,warmup:2", "step": "4"}
    scenes, at_hand, _ = scenes_of(open_link, monkeypatch, **link)
    assert at_hand.config.norm_first is False
    assert scenes["norm"].words == "after"
    assert scenes["norm"].settings["formula"] == "torch"
    after = [np.asarray(one.values)[0].std() for one in scenes["norm"].beats[-1].actors if isinstance(one, Grid)]
    assert after == pytest.approx([1.0] * len(after), abs=1e-3)
    drawn = {name for name in last(scenes["fading"], Grid) if name.startswith("unhooked")}
    assert len(drawn) == 5, "of seven stops as many as have room"
    assert {"unhooked 0", "unhooked 6"} <= drawn


def test_what_is_said_of_a_model_is_what_was_measured_of_it(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that does not fade, and an output that stays the same, are not said to change."""
    for seed in range(4):
        scenes, *_ = scenes_of(open_link, monkeypatch, model="fresh", fresh=str(seed))
        fading, output = scenes["fading"], scenes["output"]
        words = last(output, Word)
        before, after = (
            [word.text for name, word in words.items() if name.startswith(f"{which} word")]
            for which in ("hooked", "unhooked")
        )
        assert (output.words == "same") == (before == after)
        figures = last(fading, Word)
        end = max(int(name.split()[-1]) for name in figures if name.startswith("share"))
        with_it, without = (
            float(figures[f"share {which} {end}"].text.replace("−", "-")) for which in ("hooked", "unhooked")
        )
        assert (fading.words == "kept") == (abs(without) >= abs(with_it))
