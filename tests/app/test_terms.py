"""What a newcomer stumbles over is explained where a chapter first says it."""

import re
from typing import Any

import pytest

from tests.app.boards import unexplained
from tests.app.conftest import Open
from ui.frame.chapter import Chapter
from ui.settings.chapters import CHAPTERS, MAP
from ui.text import LANGUAGES

STUMBLED_OVER = {
    "shifted_right": r"shifted right|右移",
    "add_norm": r"Add & norm|Add & Norm",
    "pre_norm": r"pre-norm",
    "post_norm": r"post-norm",
    "logits": r"\blogits?\b",
    "nats": r"\bnats\b|奈特",
    "kl": r"Kullback|\bKL\b",
    "frobenius": r"Frobenius",
    "teacher_forcing": r"[Tt]eacher forcing|教师强制",
    "exact_match": r"[Ee]xact match|完全正确率",
    "head_name": r"\bE 0·2|编 0·2",
    "gain_shift": r"a_2\b|a₂",
}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("chapter", [MAP, *CHAPTERS])
def test_its_first_use_in_the_texts_of_a_chapter_is_marked(
    open_link: Open, monkeypatch: pytest.MonkeyPatch, chapter: str, lang: str
) -> None:
    told: list[str] = []
    tell = Chapter.markdown

    def heard(self: Chapter[Any], *keys: str, **values: object) -> str:
        told.append(tell(self, *keys, **values))
        return told[-1]

    monkeypatch.setattr(Chapter, "markdown", heard)
    assert not open_link(chapter, model="translate", lang=lang).exception
    assert told
    for term, form in STUMBLED_OVER.items():
        first = next((text for text in told if re.search(form, re.sub(r"`[^`]*`", "", unexplained(text)))), None)
        if first:
            shown = "gain|增益" if term == "gain_shift" else form
            assert re.search(rf'<dfn class="term"[^>]*>[^<]*({shown})', first), (term, first[:200])
