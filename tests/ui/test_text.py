"""Every text stands in both languages, with the same blanks."""

import re

import pytest

from ui.text import FOLDER, LANGUAGES, Typed, Words, blanks, further, in_its_tongue, leaves, load, set_off

FILES = sorted(path.stem for path in FOLDER.glob("*.toml"))


@pytest.mark.parametrize("chapter", FILES)
def test_both_languages_say_the_same_things(chapter: str) -> None:
    for key, by_language in load(chapter).items():
        texts = [by_language[lang] for lang in LANGUAGES]
        assert all(text.strip() for text in texts), key
        assert blanks(texts[0]) == blanks(texts[1]), key


def test_a_further_language_says_only_what_english_says() -> None:
    for code, tables in further().items():
        assert set(tables) <= {"name", *FILES}, code
        for chapter in set(tables) - {"name"}:
            english = load(chapter)
            for key, text in leaves(tables[chapter]):
                assert key in english, f"{code}: {chapter}.{key}"
                assert blanks(text) == blanks(english[key]["en"]), f"{code}: {chapter}.{key}"


def test_a_blank_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        Words("shell", "en")("next")


def test_blanks_are_filled_and_latex_braces_left_alone() -> None:
    assert Words("shell", "en")("next", title=r"\frac{1}{2}") == r"Next: \frac{1}{2}"


@pytest.mark.parametrize("chapter", FILES)
def test_emphasis_is_seen_whatever_token_stands_in_its_blank(chapter: str) -> None:
    """Stars with a bracket on their inner side and a letter on the outer one are printed as stars (CommonMark, 6.2)."""

    def bracketed(inner: str, outer: str) -> bool:
        return outer.isalnum() and not inner.isalnum()

    for key, texts in load(chapter).items():
        for lang, text in texts.items():
            plain = re.sub(r"`[^`]*`|\$[^$]*\$", "code", text)
            parts = re.split(r"\*+", re.sub(r"\{\{\w+\}\}", "⟨/s⟩", plain))
            for before, inside, after in zip(parts[::2], parts[1::2], parts[2::2]):
                seen = not bracketed(inside[:1], before[-1:]) and not bracketed(inside[-1:], after[:1])
                assert seen, f"{chapter}.{key} in {lang}: {before[-8:]}*{inside}*{after[:8]}"


def test_a_number_stands_on_the_line_of_its_unit() -> None:
    assert Words("answer_cost", "en")("story.kb", number=64) == "64\N{NO-BREAK SPACE}kB"


def test_paragraphs_stay_apart() -> None:
    texts = [text["zh"] for chapter in FILES for text in load(chapter).values()]
    assert any("\n\n" in text for text in texts)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("**b** $x$ :red[x]", "` **b** $x$ :red[x] `"),
        ("a`b", "`` a`b ``"),
        ("```", "```` ``` ````"),
        ("{{title}}", "` {{title}} `"),
        ("\u202ecba", "` \N{REPLACEMENT CHARACTER}cba `"),
    ],
)
def test_what_a_reader_typed_is_shown_letter_for_letter(typed: str, shown: str) -> None:
    assert Words("shell", "en")("next", title=Typed(typed)) == f"Next: {shown}"


@pytest.mark.parametrize(
    ("lang", "text", "value", "told"),
    [
        ("en", "row “{}”", "买 → 两", 'row “<span lang="zh">买</span> → <span lang="zh">两</span>”'),
        ("zh", "预测 {} 时", "red flowers", '预测 <span lang="en">red flowers</span> 时'),
        ("zh", "从 {} 起", "⟨s⟩", "从 ⟨s⟩ 起"),  # a symbol is of no language
        ("zh", "见 `{}`", "masked fill", "见 `masked fill`"),  # nor is code
        ("zh", "$x = {}$", "red", "$x = red$"),
        ("zh", "这里 {}", "encoder.layers.0", "这里 encoder.layers.0"),
        ("zh", "这里 {}", "<b>", "这里 &lt;b&gt;"),
        ("en", "{} here", "\ue000a\ue001", "a here"),
    ],
)
def test_a_value_of_the_other_language_says_so_and_nothing_else_does(
    lang: str, text: str, value: str, told: str
) -> None:
    assert in_its_tongue(text.format(set_off(value)), lang) == told


def test_words_that_can_be_explained_are_and_a_name_of_one_letter_is_none() -> None:
    told = {"红花": "[red flower]", "I buy": "[我买]", "a": "[一]"}

    def read(value: str, lang: str) -> str:
        return in_its_tongue(set_off(value), lang, lambda run: told.get(run, ""))

    assert read("红花 1.2", "en") == "[red flower] 1.2"
    assert read("红", "en") == '<span lang="zh">红</span>'
    assert (read("I buy", "zh"), read("a", "zh"), read("x", "zh")) == ("[我买]", "[一]", "x")
    assert in_its_tongue(f"`{set_off('红花')}`", "en", lambda _: "?") == "`红花`"
