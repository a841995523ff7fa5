"""The chapter on ways to decode: every number is the core's, and what cannot be is said."""

import json
from typing import Any

import numpy as np
import pytest
import torch

from tests.app import boards
from tests.app.conftest import Open, in_turn
from transformer_core import beam_search, greedy_decode, padding_mask, sampled_turns, subsequent_mask
from transformer_core.tasks.grammar import ENGLISH, english_chinese
from transformer_core.tasks.task import is_held_out
from ui.chapters.ways import CONTENTS, draw, values
from ui.chapters.ways.figures.tree import log_prob
from ui.chapters.ways.values import SENTENCES
from ui.figures.number import number, percent
from ui.model.shipped import shipped as shipped_model
from ui.settings.chapters import OF_ENGLISH, TRANSLATOR, beginning
from ui.text import LANGUAGES, Words

GAP = "three happy rest every day"  # a word is missing
UNSURE_OF = {"model": "translate", "src": GAP}


def source(text: str = GAP, model: str = "translate") -> torch.Tensor:
    vocabulary = shipped_model(model).config.vocabularies[0]
    return torch.tensor([vocabulary.sequence(vocabulary.read(text))])


def sampled(**how: Any) -> list[Any]:
    """The loop of the core, with nothing of the page."""
    shipped, src = shipped_model("translate"), source()
    how = {"temperature": 0.7, "top_k": 6, "top_p": 0.9} | how
    return list(
        sampled_turns(shipped.model, src, padding_mask(src), 17, torch.Generator().manual_seed(0), end=2, **how)
    )


def said(app: Any, lang: str, key: str, **values: object) -> bool:
    return Words("ways", lang)(key, **values) in boards.written(app)


def test_the_rows_are_the_steps_of_the_core_the_likeliest_first(open_link: Open) -> None:
    app = open_link("ways", **UNSURE_OF, lang="en")
    rows, turn = boards.matrices(app, "ways.draw")["draws"], sampled()[4]
    steps = np.stack([turn.log_probs.exp(), *turn.steps])
    order = np.argsort(-steps[0], kind="stable")[:8]
    np.testing.assert_allclose(rows[:4, :8], steps[:, order], atol=1e-6)
    np.testing.assert_allclose(rows[:4].sum(1), 1, atol=1e-5)
    np.testing.assert_allclose(rows[4, :8], steps[3][order].cumsum(), atol=1e-5)


def test_the_number_lies_in_the_stretch_of_the_token_that_is_drawn(open_link: Open) -> None:
    app = open_link("ways", **UNSURE_OF, lang="en")
    rows, turn = boards.matrices(app, "ways.draw")["draws"], sampled()[4]
    labels = boards.panel(app, "ways.draw", "draws")["labels"]["column"]
    (at,) = (place for place, label in enumerate(labels) if "◂" in label)
    assert (rows[4, at - 1] if at else 0) <= turn.number < rows[4, at]
    assert labels[at].split()[0] == shipped_model("translate").config.vocabularies[1].names[turn.choice]


def test_another_seed_draws_another_sentence_at_a_press(open_link: Open) -> None:
    app = open_link("ways", **UNSURE_OF, temperature="3", top_k="999", top_p="1", open="")
    outputs = []
    for _ in range(4):
        outputs.append(next(block.body for block in app.get("html") if 'class="tokens"' in block.body))
        app.button(key="ways.seed").click().run()
    assert not app.exception
    assert len(set(outputs)) > 1
    assert app.session_state["settings"]["ways"].seed == 4


@pytest.mark.parametrize("lang", LANGUAGES)
def test_temperature_0_and_p_0_are_said_to_be_greedy_decoding_and_are(open_link: Open, lang: str) -> None:
    for query, key in (({"temperature": "0"}, "cold"), ({"top_p": "0"}, "no_nucleus")):
        app = open_link("ways", **UNSURE_OF, lang=lang, **query)
        assert not app.exception
        assert said(app, lang, key)
        assert said(app, lang, "result_same", seed=0, output="三个快乐的快乐的花")


@in_turn(("name", "typed", "ends"), [("top_k", 0, "1 999"), ("width", 0, "1 8"), ("width", 142, "1 8")])
def test_what_cannot_be_is_refused_in_a_sentence_and_the_picture_stays(
    open_link: Open, lang: str, name: str, typed: int, ends: str
) -> None:
    app = open_link("ways", **UNSURE_OF, lang=lang)
    before, kept = boards.boards(app), getattr(CONTENTS.settings(), name)
    app.number_input(key=f"ways:{name}").set_value(typed).run()
    low, high = ends.split()
    values = {
        "label": Words("ways", lang)(name),
        "low": low,
        "high": high,
        "given": number(typed),
        "kept": number(kept),
    }
    assert [box.value for box in app.warning] == [Words("shell", lang)("out_of_range", **values)]
    shown = boards.boards(app)  # by the sections that read what has been typed into
    assert shown == before[-len(shown) :] != []
    assert app.number_input(key=f"ways:{name}").value == kept


def test_a_beam_wider_than_the_vocabulary_and_more_tokens_than_there_are_are_spoken_of(open_link: Open) -> None:
    run = "vocab:3,length:2,d_model:2,h:1,batch:1,steps:1"
    app = open_link("ways", model="run", run=run, src="1 2 1", lang="en")
    assert not app.exception
    assert Words("ways", "en")("wide", width=4, vocab=3) in [info.value for info in app.info]
    assert said(app, "en", "all_kept", k=6, vocab=3)


def test_a_sure_model_is_said_to_be_sure(open_link: Open) -> None:
    app = open_link("ways", model="translate", src="I buy two red flowers every day", turn="3", lang="en")
    share = percent(float(boards.matrices(app, "ways.draw")["draws"][0, 0]))
    assert said(app, "en", "sure", token="买", share=share)


@pytest.mark.parametrize(
    ("model", "typed", "direction"),
    [
        ("translate", "I like cats", "translate en-zh"),
        ("translate", "我喜欢猫", "translate zh-en"),
        ("spanish", "I watch cats", "translate en-es"),
        ("spanish", "yo miro gatos", "translate es-en"),
    ],
)
def test_a_sentence_it_is_unsure_of_is_offered_to_models_that_know_its_words(
    open_link: Open, model: str, typed: str, direction: str
) -> None:
    for section in ("draw", "mistake"):
        app = open_link("ways", model=model, src=typed)
        app.button(key=f"ways.unsure.{section}").click().run()
        assert app.text_input(key="frame:src").value == SENTENCES[direction]


def test_it_is_the_newcomers_and_offered_to_no_model_of_numbers(open_link: Open) -> None:
    for model, chinese, direction in (
        (TRANSLATOR, False, "translate en-zh"),
        (TRANSLATOR, True, "translate zh-en"),
        (OF_ENGLISH, False, "translate en-es"),
    ):
        assert beginning("ways", model, chinese)["src"] == SENTENCES[direction]
    numbers = open_link("ways", src="1 4 2")
    assert not [button for button in numbers.button if "unsure" in str(button.key)]


AWAY = 1e-3  # of a random number from the ends of its stretch: last bits do not change what is drawn


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_newcomer_who_draws_again_sees_other_sentences(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    found: list[list[values.SamplingStep]] = []
    draws = values.draws_of

    def noted(*given: Any) -> list[values.SamplingStep]:
        found.append(draws(*given))
        return found[-1]

    monkeypatch.setattr(draw, "draws_of", noted)
    app = open_link("ways", model="", open="", lang=lang)
    for _ in range(6):
        app.button(key="ways.seed").click().run()
    assert not app.exception
    outputs = {tuple(turns[-1].output) for turns in found}
    assert len(outputs) >= 3
    for turns in found:
        for turn in turns:
            ends = np.sort(turn.steps[3])[::-1].cumsum()
            assert np.abs(ends - turn.number).min() > AWAY
    if lang == "zh":  # all that is drawn is a sentence of the grammar
        names = shipped_model("translate").config.vocabularies[1].names_of
        assert all(english_chinese().read(names(output[1:-1]), ENGLISH) for output in outputs)


@pytest.mark.parametrize(
    ("model", "direction", "wanted"),
    [
        ("translate", "translate en-zh", "我们今天看那个新公园"),
        ("translate", "translate zh-en", "we watch three small dogs"),
        ("spanish", "translate en-es", "nosotros dibujamos esa biblioteca blanca bajo el árbol"),
        ("spanish", "translate es-en", "I draw a white library behind the tree"),
    ],
)
def test_of_the_sentence_it_is_unsure_of_the_beam_finds_a_far_likelier_output(
    open_link: Open, model: str, direction: str, wanted: str
) -> None:
    text, shipped = SENTENCES[direction], shipped_model(model)
    assert shipped.config.words is not None
    src, most = source(text, model), shipped.config.words.longest[1]
    greedy, beam = (
        beam_search(shipped.model, src, None, most, width, alpha, end=2) for width, alpha in ((1, 0.0), (4, 0.6))
    )
    alone, first, second = *greedy.finished(0.0)[:1], *beam.finished(0.6)[:2]
    assert shipped.config.vocabularies[1].text(beam.output(first)) == wanted
    assert beam.nodes[first].score - greedy.nodes[alone].score > np.log(1.5), "a difference that is seen"
    assert beam.normalised(first, 0.6) - beam.normalised(second, 0.6) > 0.1, "and is no matter of last bits"
    ys = torch.tensor([greedy.output(alone)])
    with torch.no_grad():
        chances = shipped.model.generator(
            shipped.model(src, ys[:, :-1], padding_mask(src), subsequent_mask(ys.size(1) - 1))
        )[0].exp()
    first_two = chances.topk(2).values
    assert (first_two[:, 0] - first_two[:, 1]).min() > 0.01
    app = open_link("ways", model=model, src=text, open="mistake", lang="en")
    assert f"**{wanted}**" in boards.written(app)


def test_the_tree_is_the_search_of_the_core_and_the_winner_is_its_first_end(open_link: Open) -> None:
    app = open_link("ways", **UNSURE_OF, lang="en")
    shipped = shipped_model("translate")
    beam = beam_search(shipped.model, source(), padding_mask(source()), 17, end=2)
    (svg,) = (
        json.loads(element.proto.json)["svg"]
        for element in boards.elements(app.main)
        if element.type == "bidi_component" and element.proto.id.endswith("-ways.tree")
    )
    for node in beam.nodes:
        if node.fate != "pruned" and node.turn:
            assert f">{log_prob(node.score, 2)}<" in svg
    ends = boards.matrices(app, "ways.ends")["ends"]
    places = beam.finished(0.6)[: len(ends)]
    np.testing.assert_allclose(ends[:, 0], [beam.nodes[at].score for at in places], atol=1e-5)
    np.testing.assert_allclose(ends[:, 3], [beam.normalised(at, 0.6) for at in places], atol=1e-5)
    assert sorted(ends[:, 3], reverse=True) == list(ends[:, 3])


def test_the_table_of_a_turn_greys_what_does_not_stay(open_link: Open) -> None:
    app = open_link("ways", **UNSURE_OF, beam_turn="5")
    shown = boards.matrices(app, "ways.candidates")
    np.testing.assert_allclose(shown["sums"], shown["score"] + shown["next"], atol=1e-5)
    beam = beam_search(shipped_model("translate").model, source(), None, 17, end=2)
    stay = sorted(beam.nodes[at].score for at in beam.turns[4].children if beam.nodes[at].fate != "pruned")
    np.testing.assert_allclose(sorted(shown["sums"].ravel())[-len(stay) :], stay, atol=1e-5)
    assert len(stay) == 4


def test_a_candidate_that_is_pressed_is_written_and_all_outputs_go_on_from_there(open_link: Open) -> None:
    app = open_link("ways", **UNSURE_OF, lang="en")
    boards.does(app, "ways.draw", "label", {"panel": "draws", "axis": "column", "index": 2})
    assert not app.exception
    assert app.text_input(key="ways:prefix").value == "三 个 快乐 的 书"
    assert said(app, "en", "mistake.same", beam_reads="三个快乐的书", **probability("三 个 快乐 的 书"))
    app.button(key="ways.reset").click().run()
    assert app.text_input(key="ways:prefix").value == ""


def probability(begun: str) -> dict[str, str]:
    shipped = shipped_model("translate")
    words = shipped.config.vocabularies[1].read(begun)
    beam = beam_search(shipped.model, source(), None, 17, end=2, prefix=words)
    score = beam.nodes[beam.finished(0.6)[0]].score
    return {"beam": number(score, 4), "beam_share": f"{np.exp(score):.1%}"}


def test_a_node_that_is_chosen_moves_the_table_to_its_turn(open_link: Open) -> None:
    beam = beam_search(shipped_model("translate").model, source(), None, 17, end=2)
    app = open_link("ways", **UNSURE_OF)
    boards.does(app, "ways.tree", "node", beam.turns[2].children[1])
    assert not app.exception
    assert app.slider(key="ways:beam_turn").value == 3


@in_turn(
    "query",
    [
        UNSURE_OF | {"begun": "三 个 ⟨/s⟩"},
        UNSURE_OF | {"begun": "我 " * 16},
        {"src": "1 3 2", "begun": "3 2"},
    ],
)
def test_an_output_that_is_all_the_readers_leaves_nothing_to_search(
    open_link: Open, query: dict[str, str], lang: str
) -> None:
    app = open_link("ways", **query, lang=lang)
    assert not app.exception
    assert {info.value for info in app.info} == {Words("ways", lang)("all_forced")}
    assert boards.boards(app) == ["ways.draw"]


@in_turn("src", ["", "x", "1", "1 99", "1 " * 41])
def test_no_source_breaks_the_page(open_link: Open, lang: str, src: str) -> None:
    app = open_link("ways", src=src, turn="63", beam_turn="63", node="9999", cell="draws.9.9", lang=lang)
    assert not app.exception
    assert app.warning


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("section", ["beam", "candidates", "mistake"])
@pytest.mark.parametrize(
    ("query", "why"), [({"model": "trained", "src": "1"}, "unread"), ({"begun": "三 ⟨/s⟩"}, "all_forced")]
)
def test_a_search_by_itself_says_why_there_is_none(
    open_link: Open, section: str, query: dict[str, str], why: str, lang: str
) -> None:
    app = open_link("ways", **UNSURE_OF | query, only=section, lang=lang)
    assert not app.exception
    assert [info.value for info in app.info] == [Words("ways", lang)(why)]


def test_an_output_that_is_hardly_possible_is_not_said_to_be_impossible(open_link: Open) -> None:
    app = open_link("ways", model="fresh_translate", src="we like cats", only="mistake", lang="en")
    assert "×10" in boards.written(app)
    assert "0.0%" not in boards.written(app)


def test_where_the_word_is_missing_greedy_decoding_is_mended_by_the_beam(open_link: Open) -> None:
    """The example of the page: the beam finds the translation of the sentence before a word was taken away."""
    shipped = shipped_model("translate")
    task = shipped.config.words
    assert task is not None
    whole = source("three happy doctors rest every day")
    assert is_held_out("three happy doctors rest every day")
    wanted = task.answer(whole[0].tolist())
    assert task.answer(source()[0].tolist()) is None
    greedy = greedy_decode(shipped.model, source(), None, 17, end=2)[0].tolist()
    beam = beam_search(shipped.model, source(), None, 17, end=2)
    assert greedy != wanted == beam.output(beam.finished(0.6)[0])
    app = open_link("ways", **UNSURE_OF, lang="en")
    shown = boards.matrices(app, "ways.greedy")
    assert shown["greedy_sum"][0, 0] < shown["beam_sum"][0, 0]
    said_ = boards.written(app)
    assert "At step 5 greedy decoding takes **快乐**" in said_
    assert "**三个快乐的医生每天休息**" in said_


def test_of_held_out_sentences_greedy_decoding_finds_the_likeliest_also_where_it_is_wrong() -> None:
    shipped = shipped_model("translate")
    task = shipped.config.words
    assert task is not None
    src = task.held_out(100).src
    ys = greedy_decode(shipped.model, src, padding_mask(src), 17, end=2)
    with torch.no_grad():
        out = shipped.model(src, ys[:, :-1], padding_mask(src), subsequent_mask(ys.size(1) - 1))
        log_probs = shipped.model.generator(out).gather(2, ys[:, 1:, None])[..., 0]
    written = (ys[:, 1:] == 2).cumsum(1) - (ys[:, 1:] == 2).long() == 0  # up to its first end symbol
    assert bool(((log_probs * written).sum(1) > np.log(0.5)).all())
    wrong = "一个年轻的医生每天在那棵漂亮的树下面画花"
    answer = task.answer(source(wrong)[0].tolist())
    beam = beam_search(shipped.model, source(wrong), None, 17, end=2)
    winner = beam.finished(0.6)[0]
    assert beam.output(winner) != answer
    assert np.exp(beam.nodes[winner].score) > 0.9
