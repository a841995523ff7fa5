"""The story of ways to decode: the drop falls where its number says, the strip is divided by the model's
probabilities, and the beam is the search of the core."""

import math

import numpy as np
import pytest
import torch

from tests.app import boards
from tests.app.conftest import Open
from tests.app.telling import telling
from tests.app.test_stories import READERS
from transformer_core import beam_search, greedy_decode, padding_mask, sampled_turns, subsequent_mask
from ui.chapters.ways.story import share
from ui.chapters.ways.story_values import KEEPS, OPEN, SEEDS, WaysStoryValues
from ui.chapters.ways.values import SENTENCES
from ui.figures.actors import NARROW, WIDE, Box, Dot, Line, Stage, Word
from ui.figures.number import percent
from ui.sections.scene import breadth
from ui.sections.story import Told


def seen(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, **link: str
) -> tuple[WaysStoryValues, dict[str, tuple[Told, Told]]]:
    _, found, scenes = telling("ways", open_link, monkeypatch, **link)
    assert isinstance(found, WaysStoryValues)
    return found, {scene.name: (wide, narrow) for scene, wide, narrow in scenes}


def chances(v: WaysStoryValues, output: list[int]) -> torch.Tensor:
    """(turns, vocab): the probabilities after each of the tokens."""
    src, ys, model = torch.tensor([v.src]), torch.tensor([output]), v.at_hand.load()
    with torch.inference_mode():
        out: torch.Tensor = model.generator(model(src, ys, padding_mask(src), subsequent_mask(len(output))))
    return out[0].exp()


@pytest.mark.parametrize("reader", READERS)
def test_the_turn_is_the_least_sure_one_of_greedy_decoding(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    v, scenes = seen(open_link, monkeypatch, **READERS[reader])
    src, at_hand = torch.tensor([v.src]), v.at_hand
    output = greedy_decode(at_hand.load(), src, padding_mask(src), at_hand.most(v.src), 1, at_hand.target.end)[
        0
    ].tolist()
    assert output == v.greedy
    sure = chances(v, output[:-1])
    assert v.turn == int(sure.amax(-1).argmin()) + 1
    said = scenes["strip"][0].said
    assert said["best"] == at_hand.target.every[int(sure[v.turn - 1].argmax())]
    assert said["share"] == percent(float(sure[v.turn - 1].max()))
    assert said["tokens"] == len(at_hand.target)


@pytest.mark.parametrize(
    ("src", "chosen"),
    [
        ("I buy two red flowers every day", SENTENCES["translate en-zh"]),
        ("我每天买两朵红色的花", SENTENCES["translate zh-en"]),
        (SENTENCES["translate en-zh"], ""),
        ("three young drink", ""),
    ],
)
def test_a_sentence_that_leaves_nothing_to_draw_gives_way_to_one_that_leaves_some(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, src: str, chosen: str
) -> None:
    v, scenes = seen(open_link, monkeypatch, model="translate", src=src)
    assert v.text == chosen
    assert v.shares().max() < OPEN
    assert all(wide.settings.get("src", "") == chosen for wide, _ in scenes.values())


@pytest.mark.parametrize(
    ("model", "src"),
    [
        ("spanish", "I buy two red flowers every day"),
        ("spanish", "yo compro dos flores rojas cada día"),
        ("translate", "I buy two red flowers every day"),
        ("translate", "我每天买两朵红色的花"),
    ],
)
def test_the_last_scene_of_a_newcomer_has_two_outputs_of_which_the_beam_s_is_likelier(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, model: str, src: str
) -> None:
    _, scenes = seen(open_link, monkeypatch, model=model, src=src)
    for told in scenes["beam"]:
        assert told.words == ""
        beam, greedy = (float(str(told.said[f"{name}_share"]).rstrip("%")) for name in ("beam", "greedy"))
        assert beam > 1.5 * greedy


def test_numbers_have_no_sentence_to_give_way_to(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    v, scenes = seen(open_link, monkeypatch, model="trained")
    assert v.text == ""
    assert v.shares().max() > OPEN
    assert "src" not in scenes["strip"][0].settings


@pytest.mark.parametrize("reader", ["newcomer", "numbers", "chinese", "fresh"])
def test_every_drop_falls_where_its_seed_says_and_draws_what_the_core_draws(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    v, scenes = seen(open_link, monkeypatch, **READERS[reader])
    src, times = torch.tensor([v.src]), 0
    for seed in range(SEEDS):
        for temperature in (1.0, 0.5, 2.0):
            turns = list(
                sampled_turns(
                    v.at_hand.load(), src, padding_mask(src), v.at_hand.most(v.src),
                    torch.Generator().manual_seed(seed), temperature, end=v.at_hand.target.end, prefix=v.prefix,
                )
            )  # fmt: skip
            turn = turns[v.turn - 1]
            assert v.number(seed) == turn.number
            assert v.falls_on(seed, temperature) == turn.choice
            times += temperature == 1 and turn.choice == v.order[0]
    said = scenes["drop"][0].said
    assert said["times"] == times
    assert said["token"] == v.named(v.falls_on(0))


@pytest.mark.parametrize("reader", ["newcomer", "numbers", "fresh"])
@pytest.mark.parametrize(("which", "stage"), [(0, WIDE), (1, NARROW)])
def test_parts_are_as_wide_as_their_shares_and_the_drop_lies_on_the_lit_one(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str, which: int, stage: Stage
) -> None:
    v, scenes = seen(open_link, monkeypatch, **READERS[reader])
    (drop,) = (a for a in scenes["drop"][which].beats[1].actors if isinstance(a, Dot) and a.name == "drop 0")
    parts = [a for a in scenes["drop"][which].beats[1].actors if isinstance(a, Box) and a.name.startswith("part")]
    whole = (parts[-1].x + parts[-1].width) - parts[0].x
    shares = v.shares()[v.order]
    for part, probability in zip(parts[:8], shares):
        assert abs(part.width / whole - probability) < 0.006
    lit = [part for part in parts if part.color == "chosen"]
    if lit:  # else it fell on one of the others
        assert lit[0].x - 1 <= drop.x <= lit[0].x + lit[0].width + 1


@pytest.mark.parametrize("reader", ["newcomer", "spanish", "numbers", "one_word"])
def test_temperature_and_top_p_do_what_the_sentences_say(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    v, scenes = seen(open_link, monkeypatch, **READERS[reader])
    logits = torch.from_numpy(v.logits).double()
    said, best = scenes["temperature"][0].said, int(logits.argmax())
    for name, temperature in (("cooled", 0.5), ("share", 1.0), ("warmed", 2.0)):
        expected = float((logits / temperature).softmax(-1)[best])
        assert math.isclose(float(v.shares(temperature)[best]), expected, abs_tol=1e-5)
        assert said[name] == percent(float(v.shares(temperature)[best]))
    assert v.shares(0.5)[best] >= v.shares()[best] >= v.shares(2.0)[best]
    for told in scenes["temperature"]:
        words = [actor for actor in told.beats[-1].actors if isinstance(actor, Word)]
        for line in (actor for actor in told.beats[-1].actors if isinstance(actor, Line)):
            near = [word for word in words if line.y < word.y < line.to_y and word.align == "center"]
            assert all(abs(word.x - line.x) > breadth(word.text) * word.size / 2 for word in near), "no word is crossed"
    cut, sums = scenes["cut"][0], np.sort(logits.softmax(-1).numpy())[::-1].cumsum()
    assert cut.said["kept"] == int(np.searchsorted(sums, 0.9)) + 1
    assert cut.words == ("one" if cut.said["kept"] == 1 else "")


@pytest.mark.parametrize("reader", READERS)
def test_the_beam_is_the_search_of_the_core_and_its_sentence_says_which_output_has_more(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    v, scenes = seen(open_link, monkeypatch, **READERS[reader])
    src, at_hand = torch.tensor([v.src]), v.at_hand
    found = beam_search(at_hand.load(), src, padding_mask(src), at_hand.most(v.src), KEEPS, 0.6, end=at_hand.target.end)
    winner = found.finished(0.6)[0]
    greedy = chances(v, v.greedy[:-1]).double().log().gather(1, torch.tensor(v.greedy[1:])[:, None]).sum()
    told = scenes["beam"][0]
    assert told.said["beam_share"] == share(found.nodes[winner].score)
    assert math.isclose(v.greedy_score, float(greedy), abs_tol=1e-3)
    same, better = found.output(winner) == v.greedy, found.nodes[winner].score > v.greedy_score
    assert told.words == ("same" if same else "" if better else "shorter")


def test_at_no_turn_more_beginnings_are_alive_than_the_beam_keeps(
    open_link: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    v, scenes = seen(open_link, monkeypatch, model="translate", src=SENTENCES["translate en-zh"])
    for turn, beat in enumerate(scenes["beam"][0].beats[1:-1], 1):
        now = {f"node {at}" for at, node in enumerate(v.found.nodes) if node.turn == turn}
        kept = [actor for actor in beat.actors if actor.name in now and actor.opacity == 1]
        assert 1 <= len(kept) <= KEEPS


def test_taking_over_shows_the_strip_s_own_numbers(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    v, scenes = seen(open_link, monkeypatch, model="translate", src="I buy two red flowers every day")
    app = open_link("ways", lang="en", model="translate", **scenes["drop"][0].settings)
    assert not app.exception
    assert app.text_input(key="frame:src").value == SENTENCES["translate en-zh"]
    rows = boards.matrices(app, "ways.draw")["draws"]
    np.testing.assert_allclose(rows[3, :8], v.shares()[v.order][:8], atol=1e-5)
    labels = boards.panel(app, "ways.draw", "draws")["labels"]["column"]
    (drawn,) = (label for label in labels if "◂" in label)
    assert drawn.split()[0] == scenes["drop"][0].said["token"]
