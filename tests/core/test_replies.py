"""Replies: every way in which a reader writes a number is read, and what is none gets its reason."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.ui.test_settings import repeatable
from transformer_core.exercises.reply import ReplyVerdict, Unread, judged, read

NUMBERS = {
    "0.25": 0.25, " .25 ": 0.25, "2.": 2.0, "1,5": 1.5, "-3": -3.0, "−3": -3.0, "–3": -3.0, "+3": 3.0, "3/4": 0.75,
    "-1 / 8": -0.125, "3⁄4": 0.75, "¾": 0.75, "１．５": 1.5, "３／４": 0.75, "1，5": 1.5, "25%": 0.25, "2e-3": 0.002,
    "1e308": 1e308, "1.5/0.5": 3.0,
}  # fmt: skip
REFUSED = {
    "no_number": (
        *("one", "1 2", "1 1/2", "1,234.5", "0x10", "nan", "inf", "1_0", "1/2/3", "--1", "<b>1</b>", "1e", "一", "\0"),
    ),
    "too_large": ("1e999", "-1e999", "1/1e999", "1e308/1e-308", "9" * 400),
    "by_zero": ("1/0", "0/0", "1/0.0"),
}


@pytest.mark.parametrize(("text", "value"), NUMBERS.items())
def test_a_number_is_read_however_it_is_written(text: str, value: float) -> None:
    assert read(text) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(("reason", "text"), [(reason, text) for reason, texts in REFUSED.items() for text in texts])
def test_what_is_no_number_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(Unread) as refused:
        read(text)
    assert refused.value.reason == reason


@repeatable
@given(some.text(max_size=20))
def test_any_text_is_a_finite_number_or_refused(text: str) -> None:
    verdict = judged(text, 0.0, {}, 0.0)
    assert verdict.cause in ("", "no_number", "too_large", "by_zero")
    if verdict.kind in ("right", "wrong"):
        assert math.isfinite(read(text))


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("", ReplyVerdict("empty")),
        ("   ", ReplyVerdict("empty")),
        ("0.1250", ReplyVerdict("right")),
        ("1/8", ReplyVerdict("right")),
        ("0.13", ReplyVerdict("right")),
        ("0.12", ReplyVerdict("right")),
        ("0.2", ReplyVerdict("slip", "doubled")),
        ("-0.125", ReplyVerdict("wrong")),
        ("1e999", ReplyVerdict("unread", "too_large")),
        ("an eighth", ReplyVerdict("unread", "no_number")),
    ],
)
def test_a_reply_is_judged_by_the_number_it_is_near(reply: str, verdict: ReplyVerdict) -> None:
    assert judged(reply, 0.125, {"doubled": 0.2}, 0.006) == verdict
