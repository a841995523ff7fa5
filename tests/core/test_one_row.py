"""Translation as one row of words: what a row is, its prompt, and its covered words."""

import pytest
import torch

from transformer_core.tasks.one_row import ALONE, COVERED, OneRow
from transformer_core.tasks.translation import DIRECTIONS
from transformer_core.tasks.vocabulary import END, PAD, START, UnknownWord

TASK = OneRow("both")


def sides(task: OneRow, row: list[int]) -> tuple[list[str], list[str]]:
    """The words before and after "="."""
    equals = row.index(task.equals)
    end = row.index(END)
    return task.vocabulary.names_of(row[1:equals]), task.vocabulary.names_of(row[equals + 1 : end])


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_row_is_a_sentence_the_sign_and_its_translation(direction: str) -> None:
    task = OneRow(direction)
    translation = task.translation
    rows = task.rows(40, torch.Generator().manual_seed(0))
    for row in rows.tolist():
        source, target = sides(task, row)
        tokens = translation.source.sequence(translation.source.tokens_of(source))
        assert translation.answer(tokens) == translation.target.sequence(translation.target.tokens_of(target))
        assert row[0] == START
        assert row.count(END) == 1
        assert set(row[row.index(END) + 1 :]) <= {PAD}
    assert rows.size(1) <= task.longest


def test_no_row_to_learn_from_is_held_out_and_those_are_the_same_each_time() -> None:
    held_out = {tuple(sides(TASK, row)[0]) for row in TASK.held_out(300).tolist()}
    learned = {tuple(sides(TASK, row)[0]) for row in TASK.rows(300, torch.Generator().manual_seed(1)).tolist()}
    assert not held_out & learned
    assert len(held_out) == 300
    assert torch.equal(TASK.held_out(300), TASK.held_out(300))


def test_a_prompt_ends_with_the_sign_whether_it_is_typed_or_not() -> None:
    prompt = TASK.prompt("Two red flowers")
    assert prompt == TASK.prompt("two red flowers =") == TASK.prompt("two red flowers=")
    assert TASK.vocabulary.labels(prompt) == ["⟨s⟩", "two", "red", "flowers", "="]
    assert TASK.prompt("") == [START]
    begun = TASK.prompt("two red flowers = 两")
    assert TASK.vocabulary.labels(begun)[-2:] == ["=", "两"]
    with pytest.raises(UnknownWord, match="purple"):
        TASK.prompt("purple flowers")


def test_the_sign_is_no_word_where_a_vocabulary_lacks_it() -> None:
    words = TASK.translation.source
    assert words.read("two = flowers") == words.read("two flowers")


def test_what_a_translation_has_to_give_is_all_that_comes_after_the_sign() -> None:
    rows = TASK.rows(20, torch.Generator().manual_seed(0))
    for row, asked in zip(rows.tolist(), TASK.after_equals(rows).tolist()):
        names = [token for token, one in zip(row, asked) if one]
        assert names == row[row.index(TASK.equals) + 1 : row.index(END) + 1]


def test_covered_words_are_words_and_of_each_row_one_at_least() -> None:
    rows = TASK.rows(300, torch.Generator().manual_seed(0))
    lesson = TASK.covered(rows, torch.Generator().manual_seed(1))
    hidden = lesson.rows == TASK.cover
    assert torch.equal(lesson.words != PAD, hidden)
    assert hidden.any(1).all()
    assert torch.equal(lesson.words[hidden], rows[hidden])
    assert not (hidden & ~TASK.words_in(rows)).any()
    kept = ~hidden & (lesson.rows != PAD)
    alone = torch.arange(300) % ALONE == 0
    assert torch.equal(lesson.rows[~alone][kept[~alone]], rows[~alone][kept[~alone]])
    assert not (lesson.rows[alone] == TASK.equals).any()
    assert ((lesson.rows == END).sum(1) == 1).all()
    share = hidden[~alone].sum() / TASK.words_in(rows[~alone]).sum()
    assert abs(float(share) - COVERED) < 0.05


def test_every_word_is_covered_in_turn() -> None:
    rows = TASK.rows(5, torch.Generator().manual_seed(0))
    covered = TASK.covered_in_turn(rows)
    assert len(covered.rows) == int(TASK.words_in(rows).sum())
    assert ((covered.rows == TASK.cover).sum(1) == 1).all()
    assert torch.equal(torch.where(covered.words != PAD, covered.words, covered.rows).unique(dim=0), rows.unique(dim=0))
