"""Every task: pairs to learn from, others to be examined on, and which token stands for which."""

import pytest
import torch
from torch import Tensor

from transformer_core.tasks import Copy, Letters, RandomAnswers, Task, Translation
from transformer_core.tasks.copy_task import copy_sequences
from transformer_core.tasks.pair_examples import example
from transformer_core.tasks.pair_lines import read_pairs
from transformer_core.tasks.random_task import HELD_OUT, TRAINED, random_pairs, some_of
from transformer_core.tasks.task import HELD_OUT_OF, is_held_out
from transformer_core.tasks.vocabulary import PAD, START

TASKS: list[Task] = [
    Copy(9, 7),
    Letters("reverse", 6, 7, 3),
    Letters("sort", 5, 8, 5),
    Translation("en-zh"),
    Translation("zh-en"),
    Translation("both"),
    Translation("en-es"),
    Translation("es-en"),
    Translation("both-es"),
    read_pairs(example("roman")).pairs,
    RandomAnswers(9, 6, 4, torch.Generator().manual_seed(1), torch.Generator().manual_seed(2)),
]
LEARNED, ALIGNED = TASKS[:-1], TASKS[:-2]
NAMES = [task.name for task in TASKS]


def stream(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def rows(side: Tensor) -> list[list[int]]:
    return [[token for token in row if token != PAD] for row in side.tolist()]


@pytest.mark.parametrize("task", TASKS, ids=NAMES)
def test_pairs_are_sequences_of_the_vocabularies_padded_at_their_end(task: Task):
    for src, tgt in (task.pairs(40, stream(3)), task.held_out(30)):
        for side, vocabulary, longest in zip((src, tgt), (task.source, task.target), task.longest):
            assert side.dtype == torch.int64
            assert len(side) == len(src)
            assert side.size(1) <= longest
            assert 0 <= int(side.min()) <= int(side.max()) < len(vocabulary)
            for row, full in zip(rows(side), side.tolist()):
                assert full == row + [PAD] * (len(full) - len(row))
                assert row[0] == START
                if vocabulary.end is not None:
                    assert row.index(vocabulary.end) == len(row) - 1
    assert task.pairs(0, stream(1)).src.size(0) == 0


@pytest.mark.parametrize("task", TASKS, ids=NAMES)
def test_the_same_seed_gives_the_same_pairs(task: Task):
    one, two, other = (task.pairs(25, stream(seed)) for seed in (5, 5, 6))
    assert all(map(torch.equal, one, two))
    assert rows(one.src) != rows(other.src)


@pytest.mark.parametrize("task", TASKS, ids=NAMES)
def test_the_held_out_pairs_are_always_the_same_the_first_ones_too(task: Task):
    many, few = task.held_out(30), task.held_out(11)
    assert rows(many.src)[:11] == rows(few.src)
    assert rows(many.tgt)[:11] == rows(few.tgt)


@pytest.mark.parametrize("task", [task for task in TASKS if task.name != "copy"], ids=lambda task: task.name)
def test_what_is_held_out_is_never_learned_from(task: Task):
    learned = {tuple(row) for row in rows(task.pairs(1000, stream(8)).src)}
    assert not learned & {tuple(row) for row in rows(task.held_out(HELD_OUT).src)}


def test_one_in_twenty_sentences_is_held_out_in_both_languages_alike():
    english, chinese, both = (Translation(direction) for direction in ("en-zh", "zh-en", "both"))
    examined = english.held_out(60)
    assert rows(chinese.held_out(60).src) == rows(examined.tgt)
    assert rows(chinese.held_out(60).tgt) == rows(examined.src)
    assert len({tuple(row) for row in rows(examined.src)}) == 60
    assert all(is_held_out(english.source.text(row)) for row in rows(examined.src))
    assert not any(is_held_out(english.source.text(row)) for row in rows(english.pairs(300, stream(2)).src))
    texts = [both.source.text(row) for row in rows(both.held_out(60).src)]
    assert texts[::2] == [english.source.text(row) for row in rows(examined.src)][::2]
    assert texts[1::2] == [english.target.text(row) for row in rows(examined.tgt)][1::2]
    share = sum(is_held_out(str(number)) for number in range(20_000)) / 20_000
    assert share == pytest.approx(1 / HELD_OUT_OF, abs=0.01)


def test_the_hash_that_holds_out_is_the_same_everywhere():
    assert [number for number in range(100) if is_held_out(str(number))] == [6, 37, 40, 82, 94]


@pytest.mark.parametrize("task", LEARNED, ids=NAMES[:-1])
def test_the_answer_to_a_source_is_its_target(task: Task):
    src, tgt = task.pairs(20, stream(4))
    assert [task.answer(row) for row in rows(src)] == rows(tgt)


@pytest.mark.parametrize("task", ALIGNED, ids=NAMES[:-2])
def test_every_token_of_the_target_stands_for_some_of_the_source(task: Task):
    src, tgt = task.held_out(11)
    for source, target in zip(rows(src), rows(tgt)):
        aligned = task.alignment(source, target)
        assert aligned is not None
        assert len(aligned) == len(target)
        assert aligned[0] == (0,)
        for name, places in zip(task.target.names_of(target), aligned):
            assert places or name in ("the", "的")
            assert all(0 <= place < len(source) for place in places)
        assert task.alignment(source, [*target[:-1], target[-1] - 1]) is None


def test_letters_are_turned_round_or_put_in_order():
    turned, sorted_ = Letters("reverse"), Letters("sort")
    source = turned.source.sequence(turned.source.read("D A c a"))
    assert source == [1, 6, 3, 5, 3, 2]
    assert turned.answer(source) == [1, 3, 5, 3, 6, 2]
    assert sorted_.answer(source) == [1, 3, 3, 5, 6, 2]
    assert turned.alignment(source, [1, 3, 5, 3, 6, 2]) == [(0,), (4,), (3,), (2,), (1,), (5,)]
    assert sorted_.alignment(source, [1, 3, 3, 5, 6, 2]) == [(0,), (2,), (4,), (3,), (1,), (5,)]
    assert turned.target.text([1, 3, 5, 3, 6, 2]) == "a c a d"


def test_a_sentence_is_translated_and_a_sentence_outside_the_grammar_is_not():
    task = Translation("en-zh")
    source = task.source.sequence(task.source.read("Two white cats sleep under the big table today."))
    answer = task.answer(source)
    assert answer is not None
    assert task.target.text(answer) == "两只白色的猫今天在大桌子下面睡觉"
    #                                  ⟨s⟩   两    只    白色  的  猫    今天  在    大    桌子  下面  睡觉  ⟨/s⟩
    assert task.alignment(source, answer) == [
        *((0,), (1,), (3,), (2,), (), (3,), (9,), (5,), (7,), (8,), (5,), (4,), (10,)),
    ]
    unknown = task.source.sequence(task.source.read("the table reads two cats"))
    assert task.answer(unknown) is None
    assert task.alignment(unknown, answer) is None
    assert task.answer(source[1:]) is None
    assert task.answer([]) is None


def test_both_directions_share_one_vocabulary():
    task = Translation("both")
    assert task.source == task.target
    for text, translation in (("she drinks tea", "她喝茶"), ("她喝茶。", "she drinks tea")):
        answer = task.answer(task.source.sequence(task.source.read(text)))
        assert answer is not None
        assert task.target.text(answer) == translation


def test_chinese_without_spaces_is_read_as_it_was_written():
    task = Translation("zh-en")
    for row in rows(task.pairs(100, stream(9)).src):
        assert task.source.sequence(task.source.read(task.source.text(row))) == row


def test_the_copy_task_is_unchanged_to_the_bit():
    src, tgt = Copy(9, 7, 4).pairs(6, stream(12))
    assert torch.equal(src, copy_sequences(9, 6, 7, 4, stream(12)))
    assert torch.equal(src, tgt)


def test_the_random_task_is_unchanged_to_the_bit():
    ours, theirs, unseen = stream(21), stream(21), stream(22)
    task = RandomAnswers(50, 6, None, ours, unseen)
    trained, held_out = random_pairs(50, TRAINED, 6, None, theirs), random_pairs(50, HELD_OUT, 6, None, stream(22))
    assert all(map(torch.equal, task.pairs(9, ours), some_of(trained, 9, theirs)))
    assert all(map(torch.equal, task.held_out(HELD_OUT), held_out))
    assert task.answer(rows(trained.src)[0]) is None
    with pytest.raises(ValueError, match="not 33"):
        task.held_out(HELD_OUT + 1)


def test_no_word_belongs_to_both_languages_and_no_third_direction_exists():
    assert not set(Translation("en-zh").source.words) & set(Translation("en-zh").target.words)
    with pytest.raises(ValueError, match="not zh-fr"):
        Translation("zh-fr")


@pytest.mark.parametrize("sizes", [(1, 5, 3), (27, 5, 3), (5, 2, 3), (5, 4, 0), (3, 6, 2)])
def test_rows_of_letters_that_cannot_be_are_refused(sizes: tuple[int, int, int]):
    with pytest.raises(ValueError, match="rows"):
        Letters("sort", *sizes)
