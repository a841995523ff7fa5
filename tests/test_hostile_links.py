"""Links that nobody made in good faith: the page stands, and nothing of what they say is taken for HTML.

HOSTILE_LINKS=500 tries so many for each page.
"""

import os
import random

import pytest

from tests.kinds import kind_of
from tests.wire import Answer, Reader
from ui.settings.chapters import CHAPTERS
from ui.settings.frame import Frame

COUNT = int(os.environ.get("HOSTILE_LINKS", "4"))
INJECTED = "<img src=x onerror=alert(1)>"
VALUES = [
    *("", " ", "0", "-1", "1e999", "nan", "-inf", "9" * 400, "1" * 5000, "1.5", "１２", "0x10", "1_0", "None", "true"),
    *(INJECTED, f"1 {INJECTED}", "<script>alert(1)</script>", "**x**:red[y]`", "$x$", "[a](javascript:x)", "{{n}}"),
    *("\0", "\u202e", "\ud7ff🙂", "a.b.c", "weights.1.1", ".0.0", "a.99999.99999", "1 3 2 5 0 0 0", "../../etc/passwd"),
]


def taken_for_html(answer: Answer) -> list[str]:
    bodies = [shown.body for shown in answer.shown("html")]
    bodies += [shown.body for shown in answer.shown("markdown") if shown.allow_html]
    return [body for body in bodies if "<img src=x" in body or "<script>alert" in body]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_link_of_nonsense_opens_a_page_that_stands(url: str, chapter: str) -> None:
    chance = random.Random(chapter)
    names = sorted({*kind_of(chapter).kinds(), *Frame.kinds()} - {"lang"})
    with Reader(url, chapter) as reader:
        for _ in range(COUNT):
            named = chance.sample(names, min(len(names), chance.randrange(1, 9)))
            query = {name: chance.choice(VALUES) for name in named} | {"lang": chance.choice(["en", "zh", INJECTED])}
            answer = reader.visit(chapter, query)
            assert answer.exceptions == [], query
            assert taken_for_html(answer) == [], query
            assert answer.shown("heading"), query
