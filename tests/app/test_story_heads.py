"""What the story of all heads claims, held to the model's own passes and outputs."""

from typing import Any, TypeVar

import numpy as np
import pytest
import torch

from tests.app.conftest import Open
from tests.app.telling import telling
from transformer_core import PAD, START, greedy_decode, intervene, padding_mask
from transformer_core.experiments.interventions import head_off
from ui.figures.actors import Actor, Box, Grid, Line, Word
from ui.frame.chapter import Chapter
from ui.inputs.sequence import parse
from ui.model.current_model import ModelAtHand
from ui.sections.story import Told

A = TypeVar("A", bound=Actor)


def scenes_of(open_link: Open, monkeypatch: pytest.MonkeyPatch, **link: str) -> tuple[dict[str, Told], Chapter[Any]]:
    """The scenes by name on the wide stage."""
    page, _, scenes = telling("heads", open_link, monkeypatch, **link)
    return {scene.name: one for scene, one, _ in scenes}, page


def last(scene: Told, kind: type[A]) -> dict[str, A]:
    return {actor.name: actor for actor in scene.beats[-1].actors if isinstance(actor, kind)}


def words(scene: Told, beat: int, *prefixes: str) -> list[str]:
    """The words of a row, from left to right."""
    row = [one for one in scene.beats[beat].actors if isinstance(one, Word) and one.name.startswith(prefixes)]
    return [one.text for one in sorted(row, key=lambda one: one.x)]


def written(at_hand: ModelAtHand, src: tuple[int, ...], layer: int, head: int | None) -> list[str]:
    """What the model writes with one head of cross-attention off, without the start symbol."""
    sources = torch.tensor([src])
    off = {} if head is None else head_off(f"decoder.layers.{layer}.src_attn", head)
    with torch.no_grad(), intervene(at_hand.load(), off):
        mask = padding_mask(sources, PAD)
        ids = greedy_decode(at_hand.load(), sources, mask, at_hand.most(src), START, at_hand.target.end)
    return at_hand.target.labels(ids[0].tolist())[1:]


@pytest.mark.parametrize("src", ["I buy two red flowers every day", "two white cats sleep", "白色的猫睡觉", "cats"])
def test_the_output_is_what_the_model_writes_with_the_head_off(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, src: str
) -> None:
    scenes, page = scenes_of(open_link, monkeypatch, model="translate", src=src)
    scene, at_hand = scenes["off"], page.at_hand
    layer, head = (int(scene.settings[name]) for name in ("if_layer", "if_head"))
    read = parse(scene.settings.get("src", src), at_hand.source, 40)
    before, after = (written(at_hand, read, layer, one) for one in (None, head))
    assert words(scene, 0, "out") == before == words(scene, -1, "old")
    assert words(scene, -1, "out", "new") == after != before
    row = next(at for at, word in enumerate(before) if after[at : at + 1] != [word])
    assert scene.said["word"] == before[row]
    assert scene.said["instead"] == after[row]
    assert scene.words == ""
    own = parse(src, at_hand.source, 40)
    heads = range(at_hand.config.h)
    spoiled = [one for one in heads if written(at_hand, own, 0, one) != written(at_hand, own, 0, None)]
    assert ("src" in scene.settings) == (not spoiled), "the reader's own sentence, where a head changes it"
    if spoiled:
        assert head in spoiled


def test_where_no_head_changes_the_output_the_story_says_so(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    src = "1 5 5 2 8"
    scenes, page = scenes_of(open_link, monkeypatch, model="trained", src=src)
    read = parse(src, page.at_hand.source, 40)
    whole = written(page.at_hand, read, 0, None)
    off = {(layer, head): written(page.at_hand, read, layer, head) for layer in range(2) for head in range(4)}
    assert set(map(tuple, off.values())) == {tuple(whole)}
    assert scenes["off"].words == "none"
    assert "src" not in scenes["off"].settings
    assert scenes["often"].words == "alike"
    assert scenes["often"].said["least"] == scenes["often"].said["n"]


@pytest.mark.parametrize("model", ["translate", "trained"])
def test_beams_are_as_thick_as_the_shares_of_that_word(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    scenes, page = scenes_of(open_link, monkeypatch, model=model)
    cell = scenes["one"].settings["cell"].split(".")
    layer, head, row, best = (int(part) for part in cell[1:])
    thick: dict[int, dict[int, float]] = {}
    for name, line in last(scenes["one"], Line).items():
        if name.startswith("beam"):
            _, of, at = name.split()
            thick.setdefault(int(of), {})[int(at)] = line.width
    assert set(thick) == set(range(page.at_hand.config.h))
    grids = last(scenes["wall"], Grid)
    for one, beams in thick.items():
        shares = np.asarray(grids[f"grid cross {layer * page.at_hand.config.h + one}"].values)[row]
        assert shares.sum() == pytest.approx(1, abs=1e-5)
        drawn = [at for at, share in enumerate(shares) if share >= 0.02]
        assert sorted(beams) == drawn
        ratio = {round(beams[at] / float(shares[at]), 3) for at in drawn}
        assert len(ratio) == 1
    assert max(thick[head], key=lambda at: thick[head][at]) == best
    sources = words(scenes["one"], -1, "source")
    assert scenes["turns"].said["best"] == sources[best]


def test_how_often_a_head_matters_is_counted_on_unseen_sentences(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenes, page = scenes_of(open_link, monkeypatch, model="translate")
    scene, at_hand = scenes["often"], page.at_hand
    task = at_hand.words
    assert task is not None
    pairs = task.held_out(64)
    count = int(str(scene.said["n"]))
    counts = last(scene, Word)
    for head in range(at_hand.config.h):
        with intervene(at_hand.load(), head_off("decoder.layers.0.src_attn", head)), torch.no_grad():
            mask = padding_mask(pairs.src, PAD)
            ids = greedy_decode(at_hand.load(), pairs.src, mask, pairs.tgt.size(1), START, at_hand.target.end)
        until = at_hand.target.until_end
        right = sum(until(one) == until(tgt) for one, tgt in zip(ids.tolist(), pairs.tgt.tolist()))
        assert abs(int(counts[f"count {head}"].text) - right) <= 64 - count
    bars = last(scene, Box)
    highest = max(bars[f"bar {head}"].height for head in range(4))
    shown = [int(counts[f"count {head}"].text) for head in range(4)]
    assert highest == pytest.approx(max(shown) / min(shown) * min(bars[f"bar {head}"].height for head in range(4)))
    assert scene.said["head"] == str(int(np.argmin(shown)))
    assert scene.words == ""


def test_a_fresh_model_is_judged_by_its_own_output(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    scenes, page = scenes_of(open_link, monkeypatch, model="fresh", fresh="7")
    assert scenes["often"].words == "own"
    assert scenes["often"].said["n"] == 1
    read = page.typed.src
    whole = written(page.at_hand, read, 0, None)
    config = page.at_hand.config
    still = sum(
        written(page.at_hand, read, layer, head) == whole for layer in range(config.N) for head in range(config.h)
    )
    assert scenes["often"].said["still"] == still


def test_a_model_of_one_head_is_not_said_to_have_several(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    link = {"model": "run", "run": "N:3,d_model:16,h:1,steps:4,warmup:2", "step": "4"}
    scenes, page = scenes_of(open_link, monkeypatch, **link)
    assert page.at_hand.config.h == 1
    assert scenes["one"].words == "single"
    assert len(last(scenes["wall"], Grid)) == 9
    assert scenes["wall"].said["count"] == 9


def test_what_stays_of_an_output_glides_and_what_is_new_is_marked(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenes, _ = scenes_of(open_link, monkeypatch, model="translate", src="those three happy students often drink water")
    scene = scenes["off"]
    before = {
        one.name: one.text for one in scene.beats[1].actors if isinstance(one, Word) and one.name.startswith("out")
    }
    after = {name: one for name, one in last(scene, Word).items() if name.startswith(("out", "new"))}
    for name, one in after.items():
        assert (one.color == "wrong") == name.startswith("new")
        assert name.startswith("new") or before[name] == one.text
