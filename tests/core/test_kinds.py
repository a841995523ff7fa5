"""Which words of a target ask what of a model, and the shares of those it gets right."""

from typing import Any

import pytest
import torch

from transformer_core.tasks import Letters, Translation, WordTask
from transformer_core.tasks.grammar import english_chinese
from transformer_core.tasks.kinds import KINDS, kinds_of, share_right
from transformer_core.tasks.vocabulary import PAD
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import QUICK_SEQUENCES
from transformer_core.training.run import TrainingRun

LETTER = {"": "-", "words": "w", "measures": "m", "order": "o"}


def kinds(task: WordTask, text: str) -> tuple[str, str]:
    """The target's words, and a letter for the kind of each."""
    source = task.source.sequence(task.source.read(text))
    target = task.answer(source)
    assert target is not None
    found = kinds_of(task, source, target)
    assert found[0] == found[-1] == ""
    return " ".join(task.target.names_of(target[1:-1])), " ".join(LETTER[kind] for kind in found[1:-1])


@pytest.mark.parametrize(
    ("direction", "text", "target", "found"),
    [
        ("en-zh", "I often rest", "我 经常 休息", "w w w"),
        ("en-zh", "the black dog likes that white cat", "黑色 的 狗 喜欢 那 只 白色 的 猫", "w - w w w m w - w"),
        # what comes before "buys", though "buys" comes before it: 每天; and the verb after it overtakes nothing
        ("en-zh", "she buys three cups of water every day", "她 每天 买 三 杯 水", "w o w w m w"),
        (
            "en-zh",
            "a black bird sleeps on my big white table today",
            "一 只 黑色 的 鸟 今天 在 我 的 白色 的 大 桌子 上 睡觉",
            "w m w - w o o o - o - o o o w",
        ),
        # the other way round the verb overtakes, and what it overtakes comes when nothing waits any more
        ("zh-en", "她每天买三杯水", "she buys three cups of water every day", "w o o w w o w w"),
        ("both", "一只黑色的鸟睡觉", "a black bird sleeps", "w w w w"),
        ("both", "a bird sleeps", "一 只 鸟 睡觉", "w m w w"),
    ],
)
def test_kinds_that_a_person_can_check(direction: str, text: str, target: str, found: str):
    assert kinds(Translation(direction), text) == (target, found)


def test_every_letter_is_a_word():
    assert kinds(Letters("reverse"), "a b c") == ("c b a", "w w w")


def test_a_target_that_is_not_the_answer_has_no_kinds():
    task = Translation("en-zh")
    with pytest.raises(ValueError, match="is not what I rest becomes"):
        kinds_of(task, task.source.sequence(task.source.read("I rest")), task.target.sequence(task.target.read("我")))


def test_the_measure_words_are_those_of_the_nouns_and_of_cups():
    assert english_chinese().measures == set("个只本朵棵张把杯")


def test_shares_count_each_kind_alone():
    task = Translation("en-zh")
    _, tgt = task.held_out(QUICK_SEQUENCES)
    measures = torch.isin(tgt[:, 1:], torch.tensor(task.target.tokens_of(english_chinese().measures)))
    nothing, everything = torch.zeros_like(measures), torch.ones_like(measures)
    assert share_right(task, nothing) == dict.fromkeys(KINDS, 0.0)
    assert share_right(task, everything) == dict.fromkeys(KINDS, 1.0)
    assert share_right(task, measures) == {"words": 0.0, "measures": 1.0, "order": 0.0}
    half = measures.clone()
    half[: QUICK_SEQUENCES // 2] = False
    shares = share_right(task, half)
    assert shares["measures"] == int(half.sum()) / int(measures.sum())


def test_a_kind_that_does_not_occur_has_no_share():
    for task in (Translation("zh-en"), Letters("sort")):
        _, tgt = task.held_out(9)
        assert share_right(task, tgt[:, 1:] != PAD)["measures"] is None


def test_a_run_reports_them_with_the_exact_match_and_a_copy_none():
    tiny: dict[str, Any] = {"d_model": 16, "h": 2, "batch": 4, "steps": 10, "warmup": 2}
    reports = [report for report in TrainingRun(TrainConfig.of_task("translate", **tiny)).work() if report]
    measured = [report.step for report in reports if report.exact_match is not None]
    assert measured == [0, 10]
    for kind in KINDS:
        shares = [getattr(report, f"right_{kind}") for report in reports]
        assert [report.step for report, share in zip(reports, shares) if share is not None] == measured
        assert all(0 <= share <= 1 for share in shares if share is not None)
    copies = [report for report in TrainingRun(TrainConfig(**tiny)).work() if report]
    assert {getattr(report, f"right_{kind}") for report in copies for kind in KINDS} == {None}
