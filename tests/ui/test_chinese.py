"""How Chinese is set, and what the lecture notes call a thing that has another name here."""

import re

import pytest

from tests.test_structure import ROOT
from ui.settings.chapters import ROUTE
from ui.text import FOLDER, load, without_terms

PAGES = ["README.zh", *(f"docs/{name}.zh" for name in ("hosting", "install", "library", "teaching"))]
FILES = [*sorted(path.stem for path in FOLDER.glob("*.toml")), *PAGES]

# Punctuation of half the width beside Chinese; formulas, code and marks of emphasis aside
HALF_WIDTH = re.compile(r"[\u4e00-\u9fff”’）][,;:?!(]|[,;:?!)][\u4e00-\u9fff“‘（]|[\u4e00-\u9fff”]\.(?!\w)")
# Names of others, each said once, where the idea is explained
ONCE = {
    "向后遮掩": ("masks.look_ahead.text", "**前瞻掩码**（又称因果掩码，也叫向后遮掩"),
    "规范化层": ("layers.norm.text", "**层归一化**（LayerNorm，也译作规范化层）"),
    "前馈全连接层": ("layers.network.text", "**前馈网络**（也译作前馈全连接层）"),
    "独热": ("tokens.lookup.text", "独热（one-hot）行向量"),
}


def chinese(name: str) -> dict[str, str]:
    """All Chinese texts of a file of texts, or of a Chinese page beside the code, by key; not the documents' headings,
    which are theirs."""
    if name in PAGES:
        return {name: (ROOT / f"{name}.md").read_text(encoding="utf-8")}
    return {
        f"{name}.{key}": without_terms(texts["zh"], "zh") for key, texts in load(name).items() if not quoted(name, key)
    }


def quoted(name: str, key: str) -> bool:
    return name == ROUTE and key.endswith(".at")


def punctuated(text: str) -> str:
    """The sentences alone: without code, formulas, tags and stars."""
    return re.sub(r"`[^`]*`|\$[^$]*\$|<[^>]*>|\*", "", text)


def slanted(text: str) -> list[str]:
    """What stands in italics and is Chinese. Pairs of stars are matched from the left, as Markdown does."""
    plain = re.sub(r"`[^`]*`|\$[^$]*\$|\*\*", "", text)
    return [found for found in re.findall(r"\*([^*\n]+)\*", plain) if re.search("[\u4e00-\u9fff]", found)]


@pytest.mark.parametrize("name", [name for name in FILES if name not in PAGES])
def test_punctuation_beside_chinese_has_full_width(name: str) -> None:
    found = {key: HALF_WIDTH.search(punctuated(text)) for key, text in chinese(name).items()}
    assert not [f"{key}: {at.string[max(at.start() - 8, 0) : at.end() + 8]}" for key, at in found.items() if at]


@pytest.mark.parametrize("text", ["分数,权重", "得分:1", "**得分**:1", "注意力(头)", "完成.", "“花”,"])
def test_half_width_beside_chinese_is_found(text: str) -> None:
    assert HALF_WIDTH.search(punctuated(text))


@pytest.mark.parametrize("text", ["`f(头, 1)`，$a_{头}: b$", "1, 2, 3", "Michel 等（2019，*Are Sixteen Heads?*）"])
def test_full_width_and_what_is_code_are_left_alone(text: str) -> None:
    assert not HALF_WIDTH.search(punctuated(text))


@pytest.mark.parametrize("name", FILES)
def test_chinese_is_never_set_in_italics(name: str) -> None:
    assert not [f"{key}: {found}" for key, text in chinese(name).items() for found in slanted(text)]


def test_chinese_in_italics_is_found_and_letters_between_are_not() -> None:
    assert slanted("在*这里*可以省去") == ["这里"]
    assert slanted("第 *t* 轮要计算 *t* 行，**这里** *q·k* 各 6*nd*²") == []


@pytest.mark.parametrize("term", ONCE)
def test_the_notes_own_term_is_named_once_beside_ours(term: str) -> None:
    key, said = ONCE[term]
    found = {at: text for name in FILES for at, text in chinese(name).items() if term in text}
    assert list(found) == [key]
    assert found[key].count(term) == 1
    assert said in found[key]
