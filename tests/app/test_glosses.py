"""Where sentences stand, what their words mean stands under them, for who does not read their language."""

import re

import pytest

from tests.app.conftest import Open
from ui.figures.markup import glossed

KINDS = ("html", "markdown", "caption")
SRC = "I buy two red flowers every day"


def shown(open_link: Open, chapter: str, lang: str, **query: str) -> str:
    app = open_link(chapter, model="translate", src=SRC, lang=lang, **query)
    blocks = [block.proto.body for kind in KINDS for block in app.main.get(kind)]
    return "\n".join(body for body in blocks if "<style" not in body)


@pytest.mark.parametrize(
    ("chapter", "query"),
    [("decoding", {"turn": "9"}), ("ways", {}), ("heads", {"hurts": "decoder"}), ("training", {"task": "translate"})],
)
def test_every_sentence_is_explained_in_the_readers_language_and_in_no_other(
    open_link: Open, chapter: str, query: dict[str, str]
) -> None:
    english, chinese = (shown(open_link, chapter, lang, **query) for lang in ("en", "zh"))
    assert '<rt lang="en">' in english
    assert '<rt lang="zh">' not in english
    assert str(glossed("flowers", {"flowers": "花"})) in chinese
    assert '<rt lang="en">' not in chinese
    boxes = re.findall(r'<span class="token[^"]*"[^>]*>(?:✗ )?(<ruby|[^<⟨]*[\u4e00-\u9fff])', english)
    assert set(boxes) == {"<ruby"}


def test_numbers_are_not_explained(open_link: Open) -> None:
    app = open_link("decoding", model="trained", lang="zh")
    assert not [block for block in app.main.get("html") if "<ruby" in block.proto.body]
