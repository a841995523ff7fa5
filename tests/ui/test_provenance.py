"""The line under a figure."""

import pytest

from ui.sections.caption import said

LINE = "layers.0.src_attn.weights · head 2 · 10 × 10 · step 145 · seed 7; src_embed.0.lut · rate 0.002"


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("en", LINE),
        (
            "zh",
            "layers.0.src_attn.weights · 2 号头 · 10 × 10 · 第 145 步 · 种子 7; src_embed.0.lut · 学习率 0.002",
        ),
    ],
)
def test_what_counts_something_is_said_in_the_language_of_the_page_and_names_of_the_code_stay(
    lang: str, line: str
) -> None:
    assert said(LINE, lang) == line


def test_every_word_that_counts_something_is_said_in_chinese() -> None:
    """As under the gradients of deep stacks and the training on random answers."""
    assert said("norms · init xavier · seed 7", "zh") == "norms · 初始化 xavier · 种子 7"
    assert said("loss · rate 0.001 · clip 1.0 · seed 7", "zh") == "loss · 学习率 0.001 · 梯度裁剪 1.0 · 种子 7"
