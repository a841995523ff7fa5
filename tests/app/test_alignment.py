"""Which source word an output word looks at: lines, heads and many sentences, for words and for numbers."""

import re

import numpy as np
import pytest

from tests.app.boards import bands, boards, drawing, matrices, panel, written
from tests.app.conftest import Open
from ui.text import LANGUAGES, Words

LINES = "heads.alignment"
SENTENCE = {"model": "translate", "src": "two white cats sleep", "lang": "en"}  # 两 只 白色 的 猫 睡觉


def test_the_lines_join_output_words_to_what_they_stand_for(open_link: Open) -> None:
    app = open_link("heads", open="", **SENTENCE)
    assert bands(drawing(app, LINES)) == [
        (0, 1),
        (1, 3),
        (2, 2),
        (4, 3),
        (5, 4),
    ]  # 的 and the end symbol stand for no word
    names = re.findall(r'aria-label="(\S+) [^"]*"><rect', drawing(app, LINES))
    assert names[:7] == ["两", "只", "白色", "的", "猫", "睡觉", "⟨/s⟩"]


def test_a_head_is_counted_where_its_largest_weight_lies_on_an_aligned_word(open_link: Open) -> None:
    app = open_link("heads", open="heads_aligned", **SENTENCE)
    shown, wall = matrices(app, "heads.heads_aligned"), matrices(app, "heads.wall")
    reference = dict(bands(drawing(app, LINES)))
    rows = sorted(reference)
    for head in range(4):
        expected = [float(wall[f"cross.0.{head}"][row].argmax() == reference[row]) for row in rows]
        assert shown["hits"][head, rows].tolist() == expected
        assert shown["share"][head, 0] == pytest.approx(np.mean(expected))
    np.testing.assert_array_equal(shown["hits"][4, rows], shown["hits"][:4, rows].max(0))
    assert shown["share"][5, 0] == pytest.approx(1 / 6)  # six source positions, one aligned with each word
    weights = wall["cross.0.0"][rows]
    assert shown["entropy"][0, 0] == pytest.approx(float(-(weights * np.log(weights)).sum(1).mean()), abs=1e-4)


def test_where_no_gold_is_known_the_lines_are_drawn_and_a_sentence_says_so(open_link: Open) -> None:
    for src, tgt in (("two white cats sleep", "两只白色的猫"), ("cats white two sleep", "")):
        app = open_link("heads", open="heads_aligned", **(SENTENCE | {"src": src, "tgt": tgt}))
        assert not app.exception
        assert bands(drawing(app, LINES)) == []
        assert "<line" in drawing(app, LINES)
        assert Words("heads", "en")("alignment.unknown") in [box.value for box in app.info]
        assert "heads.heads_aligned" not in boards(app)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("model", ["trained", "translate", "fresh_translate"])
def test_many_sentences_are_counted_for_words_and_for_numbers(open_link: Open, model: str, lang: str) -> None:
    app = open_link("heads", open="aligned_sentences", model=model, lang=lang)
    assert not app.exception
    shares = matrices(app, "heads.aligned_sentences")["share"][:, 0]
    *heads, some, chance = shares
    assert max(heads) <= some <= 1
    assert 0.05 < chance < 0.3
    if model != "fresh_translate":
        assert max(heads) > 4 * chance
    names = panel(app, "heads.aligned_sentences", "share")["labels"]["row"]
    assert f"**{names[int(np.argmax(heads))]}**" in written(app)


def test_of_numbers_the_copy_of_a_token_counts(open_link: Open) -> None:
    app = open_link("heads", open="", src="1 4 2 9 6", lang="en")
    assert bands(drawing(app, LINES)) == [(0, 1), (1, 2), (2, 3), (3, 4)]


@pytest.mark.parametrize("query", [{"src": "1"}, {"tgt": "1"}, {"src": "1 3 2 0 0"}, {"src": "1 1"}])
def test_sequences_with_nothing_to_compare_open_all_the_same(open_link: Open, query: dict[str, str]) -> None:
    assert not open_link("heads", open="", **query).exception


def test_a_letter_that_is_turned_round_is_aligned_with_its_mirror_image(open_link: Open) -> None:
    app = open_link("heads", open="", model="run", run='task:"reverse",steps:4,seed:1', step="0", src="g d b a")
    assert not app.exception
    assert bands(drawing(app, LINES)) == [(0, 4), (1, 3), (2, 2), (3, 1)]


def test_the_heads_on_the_wall_name_their_words(open_link: Open) -> None:
    labels = panel(open_link("heads", open="", **SENTENCE), "heads.wall", "cross.0.1")
    assert labels["labels"]["row"][1] == "两 → 只"
    assert labels["labels"]["column"] == ["⟨s⟩", "two", "white", "cats", "sleep", "⟨/s⟩"]
    assert labels["silent"]  # said, not drawn: there is no room between so many
