"""The settled words of the Chinese texts: one per thing, and the forms that shall not come back."""

import re

import pytest

from tests.test_structure import ROOT
from ui.text import FOLDER, load, without_terms

PAGES = ["README.zh", *(f"docs/{name}.zh" for name in ("hosting", "install", "library", "teaching"))]
FILES = [*sorted(path.stem for path in FOLDER.glob("*.toml")), *PAGES]

# What is not said -> what is said in its place
SETTLED = {
    r"闭合": "饱和",
    r"推力": "梯度；走一步的方向与它相反",
    r"份额": "贡献",
    r"一袋词": "词袋",
    r"向前移": "向后移",
    r"一位不(差|变)": "逐位相同",
    r"每一位都": "逐位",
    r"同一刻度": "同一色标",
    r"(嵌入|编码|和|各行之间)的余弦(?!相似度)|词元余弦": "余弦相似度",
    r"前向计算|前向顺序": "前向传播",
    r"第几个维度": "第几维",
    r"手写.*权重": "自己填",
    r"由你放|读者.*放上": "由你指定",
    r"的自己|自己训练到": "当前模型",
    r"带掩码的|遮盖|遮掩(?!；)": "掩码，屏蔽",
    r"图个方便": "为了方便",
    r"给教师": "教师指南",
    r"占满投影": "占满屏幕",
    r"层 ?(0|\{\{)|(?<!\}\} )头 ?(\d|\{\{|\*[a-z])|第 \S+ 个头": "第 h 头，第 n 层",
    r"logits": "logit，中文没有复数",
    r"从 0 (开始数|起|算)|从零(数|算)": "从 0 数起",
    r"填充(值|符)|重新填充|用.{1,6}填充(?!词元)|补零|补 0|垫": "填充，只指 padding",
    r"层规范化|层标准化|全连接前馈": "层归一化，前馈网络",
    r"weights·v": "α·v",
}
# Names of others, each said once, where the idea is explained
ONCE = {
    "向后遮掩": ("masks.look_ahead.text", "**前瞻掩码**（又称因果掩码，讲义：向后遮掩"),
    "规范化层": ("layers.norm.text", "**层归一化**（LayerNorm，讲义：规范化层）"),
    "前馈全连接层": ("layers.network.text", "**前馈网络**（讲义：前馈全连接层）"),
    "独热": ("tokens.lookup.text", "独热（one-hot）行向量"),
}


def chinese(name: str) -> dict[str, str]:
    """All Chinese texts of a file of texts, or of a Chinese page beside the code, by key."""
    if name in PAGES:
        return {name: (ROOT / f"{name}.md").read_text(encoding="utf-8")}
    return {f"{name}.{key}": without_terms(texts["zh"], "zh") for key, texts in load(name).items()}


def slanted(text: str) -> list[str]:
    """What stands in italics and is Chinese. Pairs of stars are matched from the left, as Markdown does."""
    plain = re.sub(r"`[^`]*`|\$[^$]*\$|\*\*", "", text)
    return [found for found in re.findall(r"\*([^*\n]+)\*", plain) if re.search("[\u4e00-\u9fff]", found)]


@pytest.mark.parametrize("name", FILES)
def test_a_settled_word_does_not_change_back(name: str) -> None:
    said = [
        (key, form, found[0])
        for key, text in chinese(name).items()
        for form in SETTLED
        if (found := re.search(form, text))
    ]
    assert not [f"{key}: {found}; say {SETTLED[form]}" for key, form, found in said]


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
