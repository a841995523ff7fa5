"""Every text stands in both languages, with the same blanks."""

import re

import pytest

from transformer_core.attention import BLOCKED
from ui.text import FOLDER, LANGUAGES, Typed, Words, blanks, further, in_its_tongue, leaves, load, set_off

FILES = sorted(path.stem for path in FOLDER.glob("*.toml"))
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize("chapter", FILES)
def test_both_languages_say_the_same_things(chapter: str) -> None:
    for key, by_language in load(chapter).items():
        texts = [by_language[lang] for lang in LANGUAGES]
        assert all(text.strip() for text in texts), key
        assert blanks(texts[0]) == blanks(texts[1]), key


@pytest.mark.parametrize("chapter", FILES)
def test_english_holds_no_chinese_but_what_is_typed_to_a_model_that_reads_both(chapter: str) -> None:
    said = {key: text["en"] for key, text in load(chapter).items() if not key.endswith(".example")}
    assert not [key for key, text in said.items() if CHINESE.search(text)]


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
def test_no_line_break_leaves_a_gap_in_a_chinese_sentence(chapter: str) -> None:
    gap = re.compile(r"[\u4e00-\u9fff，。；：、]\n[\u4e00-\u9fff]")
    assert not [key for key, text in load(chapter).items() if gap.search(text["zh"])]


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


REFUSALS = {
    "shell": ("sequence.",),
    "tokens": ("numbers.", "tokens_wrong."),
    "positions": ("dims_wrong.",),
    "masks": ("lengths_problem.",),
    "scaling": ("scores_problem.",),
}
LIMITS = {"low", "high", "most", "fewest", "largest", "longest", "highest", "count"}


def test_every_refusal_of_what_was_typed_says_what_is_accepted() -> None:
    for chapter, kinds in REFUSALS.items():
        refusals = {key: texts for key, texts in load(chapter).items() if key.startswith(kinds)}
        assert refusals
        for key, texts in refusals.items():
            for lang, text in texts.items():
                assert blanks(text) & LIMITS, f"{chapter}.{key} in {lang}"


@pytest.mark.parametrize("chapter", FILES)
def test_who_says_minus_infinity_says_what_the_program_has_in_its_place_or_what_it_would_do(chapter: str) -> None:
    """Blocked scores become −10⁹; −∞ makes NaN of a row with nothing left."""
    assert BLOCKED == -1e9
    for key, texts in load(chapter).items():
        for text in texts.values():
            if re.search("−∞|minus infinity|负无穷", text) and text != "−∞":  # the name of the choice itself
                assert re.search("−10⁹|NaN", text), key


@pytest.mark.parametrize("chapter", FILES)
def test_no_text_says_that_heads_have_divided_the_work_for_nobody_asks_them_to(chapter: str) -> None:
    for key, texts in load(chapter).items():
        if re.search("divided? the work", texts["en"]):
            assert re.search("not|nobody", texts["en"], re.I), key
        if re.search("分(了|好)?工", texts["zh"]):
            assert "没有" in texts["zh"], key


@pytest.mark.parametrize("chapter", FILES)
def test_nothing_is_called_dark_or_light_for_there_are_two_themes(chapter: str) -> None:
    ink = re.compile(
        r"\b(dark|light)er\b|\bpale|\blight (hand|line|cell)|strong colou?r|深色|浅色(?!打印)|[越更最][深浅浓]"
    )
    assert not [key for key, texts in load(chapter).items() if any(ink.search(text) for text in texts.values())]


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
