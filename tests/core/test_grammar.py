"""The small language: every sentence is one tree, written in English and in Chinese."""

from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest

from transformer_core.tasks.grammar import CHINESE, ENGLISH, SIDES, Grammar, Piece, _Reader, alignment, english_chinese

SMALL: dict[str, Any] = {
    "start": "s",
    "longest": {"english": 3, "chinese": 3},
    "features": {"N": ["one", "many"]},
    "rules": {
        "s": ["<who:N> (now) <does:N> | <does:N> <who:N>"],
        "does:one": ["runs | 跑 了"],
        "does:many": ["run | 跑"],
    },
    "verbs": {"forms": [], "patterns": {}, "words": []},
    "nouns": {
        "forms": ["one", "many", "chinese"],
        "patterns": {"who:one": "{one} | {chinese}", "who:many": "{many} | {chinese}"},
        "words": ["cat cats 猫", "dog dogs 狗"],
    },
}


def tree_of(text: str, side: int = ENGLISH) -> Piece:
    tree = english_chinese().read(text.split(), side)
    assert tree is not None
    return tree


def translated(text: str, side: int = ENGLISH) -> str:
    return " ".join(tree_of(text, side).words[1 - side])


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("two white cats sleep under the big table today", "两 只 白色 的 猫 今天 在 大 桌子 下面 睡觉"),
        ("the cat sleeps on my small red chair", "猫 在 我 的 红色 的 小 椅子 上 睡觉"),
        ("that bird does not rest in the garden today", "那 只 鸟 今天 不 在 花园 里 休息"),
        ("I do not like this black dog", "我 不 喜欢 这 只 黑色 的 狗"),
        ("she reads two new books in the library every day", "她 每天 在 图书馆 里 看 两 本 新 书"),
        ("the teacher watches birds", "老师 看 鸟"),
        ("we often drink tea in the small kitchen", "我们 经常 在 小 厨房 里 喝 茶"),
        ("a young student buys three cups of tea", "一 个 年轻 的 学生 买 三 杯 茶"),
        ("these two doctors draw a beautiful tree", "这 两 个 医生 画 一 棵 漂亮 的 树"),
        ("my three dogs rest behind that table", "我 的 三 只 狗 在 那 张 桌子 后面 休息"),
        ("those happy students like white flowers", "那些 快乐 的 学生 喜欢 白色 的 花"),
    ],
)
def test_sentences_that_a_person_can_check(english: str, chinese: str):
    assert translated(english) == chinese
    assert translated(chinese, CHINESE) == english


@pytest.mark.parametrize(
    "english",
    [
        "two white cats do not sleep",  # only who is known may be said not to do something
        "two white cat sleep",
        "the cat sleep",
        "a cat does not sleep",
        "the table sleeps",
        "I reads this book",
        "white two cats sleep",
        "the cats sleep",
        "",
        "cat",
    ],
)
def test_what_the_language_does_not_say(english: str):
    assert english_chinese().read(english.split(), ENGLISH) is None


def test_each_word_stands_for_the_words_it_was_made_from():
    tree = tree_of("my two white cats sleep under the big table")
    #    我    的    两    只   白色   的    猫    在     大   桌子  下面  睡觉
    assert alignment(tree, ENGLISH, CHINESE) == [
        *((0,), (), (1,), (3,), (2,), (), (3,), (5,), (7,), (8,), (5,), (4,)),
    ]
    #                       my    two   white cats    sleep  under    the  big   table
    assert alignment(tree, CHINESE, ENGLISH) == [(0,), (2,), (4,), (3, 6), (11,), (7, 10), (), (8,), (9,)]
    tree = tree_of("the dog does not drink water")
    assert alignment(tree, ENGLISH, CHINESE) == [(1,), (2, 3), (4,), (5,)]


def test_only_function_words_stand_for_nothing_and_links_go_both_ways():
    random, alone = Random(3), set()
    for _ in range(100):
        tree = english_chinese().draw(random)
        links = {}
        for source, target in (SIDES, SIDES[::-1]):
            aligned = alignment(tree, source, target)
            assert len(aligned) == len(tree.words[target])
            alone |= {word for word, places in zip(tree.words[target], aligned) if not places}
            links[target] = {(place, at) for at, places in enumerate(aligned) for place in places}
        assert links[CHINESE] == {(at, place) for place, at in links[ENGLISH]}
    assert alone == {"the", "的"}


def test_a_sentence_has_one_tree_in_either_language():
    random = Random(5)
    for _ in range(60):
        tree = english_chinese().draw(random)
        for side, words in enumerate(tree.words):
            found = _Reader(english_chinese().rules, words, side).pieces("sentence", 0)
            assert [piece for end, piece in found if end == len(words)] == [tree]


def test_there_are_more_than_ten_million_sentences_of_few_words():
    grammar = english_chinese()
    assert grammar.sentences > 10**7
    assert grammar.longest == (11, 15)
    random = Random(7)
    lengths = [tuple(map(len, grammar.draw(random).words)) for _ in range(1000)]
    assert max(english for english, _ in lengths) == 11
    assert 14 <= max(chinese for _, chinese in lengths) <= 15
    assert len(grammar.words(ENGLISH)) == pytest.approx(70, abs=8)
    assert len(grammar.words(CHINESE)) == pytest.approx(60, abs=8)


def test_every_word_is_drawn_sooner_or_later():
    random, seen = Random(11), (Counter[str](), Counter[str]())
    for _ in range(1500):
        for counter, words in zip(seen, english_chinese().draw(random).words):
            counter.update(words)
    for side in SIDES:
        assert tuple(sorted(seen[side])) == english_chinese().words(side)


def test_the_same_seed_gives_the_same_sentences():
    one, two, other = ([english_chinese().draw(random).words for _ in range(9)] for random in map(Random, (4, 4, 6)))
    assert one == two != other


def test_the_sentences_of_a_tiny_language_are_counted_and_drawn():
    grammar = Grammar(SMALL)
    every = {(f"{who} now {does}", f"{done} {noun}") for who, does, done, noun in _tiny()}
    assert grammar.sentences == len(every) == 4
    random = Random(1)
    assert {tuple(" ".join(words) for words in grammar.draw(random).words) for _ in range(60)} == every
    shorter = Grammar(SMALL | {"longest": {"english": 3, "chinese": 2}})
    assert shorter.sentences == 2
    assert {shorter.draw(random).words[CHINESE][0] for _ in range(20)} == {"跑"}
    assert shorter.read(["cat", "now", "runs"], ENGLISH) is None


def _tiny() -> list[tuple[str, str, str, str]]:
    verbs = [("", "runs", "跑 了"), ("s", "run", "跑")]
    return [(en + s, does, done, zh) for (en, zh), (s, does, done) in product([("cat", "猫"), ("dog", "狗")], verbs)]


@pytest.mark.parametrize(
    ("rule", "message"),
    [("<who:N> <where> | <where> <who:N>", "no rule for where"), ("<who:N> sees | 看", "the same symbols")],
)
def test_a_rule_that_cannot_be_written_is_refused(rule: str, message: str):
    with pytest.raises(ValueError, match=message):
        Grammar(SMALL | {"rules": SMALL["rules"] | {"s": [rule]}})
