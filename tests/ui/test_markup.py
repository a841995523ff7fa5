"""Markup that nothing a reader types can break out of."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.figures.markup import Markup, element, in_direction, joined, style


class _Seen(HTMLParser):
    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.text = ""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.text += data


ANY = st.text(st.characters(exclude_categories=["Cs", "Cc"]))


@given(ANY, ANY)
def test_text_stays_text_and_a_value_stays_one(child: str, value: str) -> None:
    seen = _Seen(element("p", element("b", child), class_="word", title=value))
    assert seen.tags == [("p", [("class", "word"), ("title", value)]), ("b", [])]
    assert seen.text == child


def test_markup_is_taken_as_it_is_and_what_joins_it_is_text() -> None:
    assert element("p", Markup("<br>"), "<br>") == "<p><br>&lt;br&gt;</p>"
    assert joined([Markup("<i></i>"), "&", 2]) == "<i></i>&amp;2"
    assert not isinstance(Markup("<i>") + "</i>", Markup)


def test_values_are_written_short_and_what_is_absent_is_left_out() -> None:
    assert element("rect", x=2.0, y=0.5, data_at=3, rx=None, title=False) == '<rect x="2" y="0.5" data-at="3"/>'
    assert (
        element("div", style=style(border_color="red", width="1px")) == '<div style="border-color:red;width:1px"></div>'
    )


@pytest.mark.parametrize(
    ("names", "turned"),
    [
        (["⟨s⟩", "كلب", "احمر", "⟨/s⟩"], True),
        (["7", "+", "שלום"], True),
        (["⟨s⟩", "cat", "כלב"], False),
        (["你好"], False),
        (["12", "👍🏽", "<"], False),
        ([], False),
    ],
)
def test_tokens_stand_in_the_direction_of_their_first_letter(names: list[str], turned: bool) -> None:
    boxes = [element("span", name, class_="token", title="a hint") for name in names]
    found = in_direction(boxes)
    assert joined(found) == (element("span", *boxes, dir="rtl") if turned else joined(boxes))
