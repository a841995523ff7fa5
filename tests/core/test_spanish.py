"""English and Spanish: adjectives behind their nouns, and words that agree with others."""

from collections import Counter
from random import Random

import pytest

from transformer_core.tasks import Translation
from transformer_core.tasks.gloss import glosses
from transformer_core.tasks.grammar import ENGLISH, SIDES, SPANISH, Piece, _Reader, alignment, english_spanish
from transformer_core.tasks.vocabulary import MARKS

BOTH = Translation("both-es")


def tree_of(text: str, side: int = ENGLISH) -> Piece:
    tree = english_spanish().read(text.split(), side)
    assert tree is not None
    return tree


@pytest.mark.parametrize(
    ("english", "spanish"),
    [
        ("I buy two red flowers every day", "yo compro dos flores rojas cada día"),
        ("two small white cats sleep under the tree", "dos gatos blancos pequeños duermen bajo el árbol"),
        ("that young teacher does not read my new book today", "esa profesora joven no lee mi libro nuevo hoy"),
        ("where do those happy students rest ?", "¿ dónde descansan esos estudiantes felices ?"),
        ("we always drink tea", "nosotros siempre bebemos té"),
        ("she wants a cup of water", "ella quiere una taza de agua"),
        ("these three birds rest behind my white chair", "estos tres pájaros descansan tras mi silla blanca"),
        (
            "the doctor draws a big tree in the beautiful garden",
            "el médico dibuja un árbol grande en el jardín hermoso",
        ),
    ],
)
def test_sentences_that_a_person_can_check(english: str, spanish: str):
    assert " ".join(tree_of(english).words[SPANISH]) == spanish
    assert " ".join(tree_of(spanish, SPANISH).words[ENGLISH]) == english


def test_the_words_are_aligned_and_the_adjective_changes_places():
    tree = tree_of("I buy two red flowers every day")
    assert alignment(tree, ENGLISH, SPANISH) == [(0,), (1,), (2,), (4,), (3,), (5, 6), (5, 6)]
    question = tree_of("where do the cats sleep ?")
    assert alignment(question, ENGLISH, SPANISH) == [(), (0,), (4,), (2,), (3,), (5,)]


def test_every_sentence_has_one_tree_and_one_translation():
    random, drawn = Random(3), Counter[str]()
    known: dict[tuple[int, tuple[str, ...]], tuple[str, ...]] = {}
    for at in range(1500):
        tree = english_spanish().draw(random)
        for side, words in enumerate(tree.words):
            drawn.update(words)
            assert known.setdefault((side, words), tree.words[1 - side]) == tree.words[1 - side]
            if at < 60:
                found = _Reader(english_spanish().rules, words, side).pieces("sentence", 0)
                assert [piece for end, piece in found if end == len(words)] == [tree]
    assert set(drawn) == {word for side in SIDES for word in english_spanish().words(side)}


def test_there_are_millions_of_sentences_and_no_word_is_of_both_languages_but_the_question_mark():
    grammar = english_spanish()
    assert grammar.sentences > 10**6
    assert not grammar.measures
    english, spanish = map(grammar.words, SIDES)
    assert set(english) & set(spanish) == {"?"}


@pytest.mark.parametrize(
    "typed", ["¿Dónde duermen los pájaros?", "donde duermen los pajaros ?", "¿Do\u0301nde duermen los pájaros"]
)
def test_accents_and_question_marks_may_be_missing(typed: str):
    names = BOTH.source.names_of(BOTH.source.read(typed))
    assert [name for name in names if name not in MARKS] == ["dónde", "duermen", "los", "pájaros"]
    assert BOTH.source.text(BOTH.source.tokens_of(["¿", *names[-4:]][:5])).startswith("¿")


def test_a_vocabulary_without_question_marks_leaves_them_out():
    words = Translation("en-zh").source
    assert words.read("the cat sleeps?") == words.read("the cat sleeps")


@pytest.mark.parametrize(
    ("text", "direction"),
    [("two red flowers", "en-es"), ("dos flores rojas", "es-en"), ("flores", "es-en"), ("?", "en-es"), ("", "en-es")],
)
def test_the_direction_of_a_text_is_that_of_its_words(text: str, direction: str):
    assert BOTH.direction_of(text) == direction
    assert Translation("es-en").direction_of(text) == "es-en"


@pytest.mark.parametrize(
    ("word", "gloss"),
    [
        ("flores", "flower"),
        ("rojas", "red"),
        ("compro", "buy"),
        ("queremos", "want"),
        ("flowers", "flor"),
        ("los", "the"),
        ("esas", "those"),
        ("las", None),
    ],
)
def test_a_gloss_is_the_form_that_a_dictionary_has(word: str, gloss: str | None):
    assert glosses("es").get(word) == gloss


def test_every_word_has_a_gloss():
    assert glosses("es").keys() == set(BOTH.source.words)
    assert all(glosses("es").values())
