"""What a chapter asks: a choice or a number, what its replies mean, and the settings that keep them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

from transformer_core.exercises.reply import ReplyVerdict, judged
from transformer_core.labsheet.sheet import Claim
from ui.figures.number import number
from ui.settings.fields import Settings, number_reply, reply
from ui.settings.frame import Frame
from ui.text import LITERAL, Words


class Asked:
    """What a chapter asks by a `name`, which is that of the setting with the reply, too."""

    name: str
    in_section: ClassVar[bool] = False  # at a stop of a lesson, too, its section asks it by itself
    by_hand: ClassVar[bool] = False  # a class replies with what its section has each reader make

    @property
    def first(self) -> str:
        return first_of(self.name)

    def of(self, settings: Any, frame: Frame) -> Any:
        """The question as it is asked with these settings."""
        return self


@dataclass(frozen=True)
class Choice(Asked):
    """`name.question` with a few options, `name.option.<option>`, one of them right. The reply is the setting `name`.

    A wrong reply is explained by the misconception behind it, `name.wrong.<option>`; the answer by `name.right`. Above
    it stands `lead`. What is computed of it is `said` in the blanks of its texts, or in the `labels` of options, which
    then need no text. One that is `like` another question has the texts of that where it has none of its own.
    `measured`: which one is right is found out with the model at hand. One that is `about_figure` is asked of what a
    figure shows, which does not tell the answer; other figures wait for the reply.
    """

    name: str
    options: tuple[str, ...]
    right: str
    measured: bool = False
    lead: str = "lead"
    labels: Mapping[str, str] = field(default_factory=dict)
    said: Mapping[str, str] = field(default_factory=dict)
    like: str = ""
    about_figure: bool = False

    def text(self, say: Words, part: str) -> str:
        own = f"{self.name}.{part}"
        said = {blank: value.translate(LITERAL) for blank, value in self.said.items()}
        return say(own if own in say or not self.like else f"{self.like}.{part}", **said)

    def label(self, say: Words, option: str) -> str:
        computed = self.labels.get(option)
        return self.text(say, f"option.{option}") if computed is None else computed.translate(LITERAL)

    @property
    def replies(self) -> tuple[str, ...]:
        return self.options

    @property
    def right_reply(self) -> str:
        return self.right

    def counted_as(self, given: str) -> str | None:
        """Which of `replies` this is; None where it is none."""
        return given if given in self.options else None

    def claim(self, reply: str) -> Claim | None:
        """As a lab sheet has it; None where this is no reply."""
        if reply not in self.options:
            return None
        right = reply == self.right
        return Claim(self.name, reply, "", "right" if right else "slip", "" if right else reply)

    def reason(self, reply: str) -> str:
        return f"{self.name}.right" if reply == self.right else f"{self.name}.wrong.{reply}"


OTHER = "other"


def first_of(question: str) -> str:
    return f"{question}_at_first"


@cache
def reply_setting(question: str, picked: bool) -> type[Settings]:
    """The settings of a question: the reply, and the first one where that was another."""
    made = {name: reply() if picked else number_reply() for name in (question, first_of(question))}
    return type(question.title(), (Settings,), {"__annotations__": dict.fromkeys(made, object), **made})


@dataclass(frozen=True)
class Quantity(Asked):
    """`name.question`, which asks for a number. The reply is the setting `name`.

    `slips` maps a text key, `name.wrong.<slip>`, to the number that this mistake leads to; a reply near it gets that
    explanation, any other wrong reply `name.wrong`; the answer is explained by `name.right`. `tolerance` is absolute.
    `said` are the blanks in the question's words.
    """

    name: str
    right: float
    slips: Mapping[str, float] = field(default_factory=dict)
    tolerance: float = 0.005
    said: Mapping[str, str] = field(default_factory=dict)
    measured: ClassVar[bool] = False
    about_figure: ClassVar[bool] = False

    def text(self, say: Words, part: str) -> str:
        return say(f"{self.name}.{part}", **(self.said if part == "question" else {}))

    def label(self, say: Words, reply: str) -> str:
        return Words("shell", say.lang)("room.other") if reply == OTHER else reply

    def judged(self, reply: str) -> ReplyVerdict:
        return judged(reply, self.right, self.slips, self.tolerance)

    @property
    def replies(self) -> tuple[str, ...]:
        """As those of a class are counted: the right number and that of each slip by their size, and all others."""
        return (*map(number, sorted((self.right, *self.slips.values()))), OTHER)

    @property
    def right_reply(self) -> str:
        return number(self.right)

    def counted_as(self, given: str) -> str | None:
        verdict = self.judged(given)
        counted = {"right": self.right_reply, "slip": number(self.slips.get(verdict.cause, 0.0)), "wrong": OTHER}
        return counted.get(verdict.kind)

    def claim(self, reply: str) -> Claim | None:
        kind, cause = self.judged(reply)
        if kind == "empty":
            return None
        return Claim(self.name, reply, "", kind, cause, (self.right,) if kind == "right" else ())

    def reason(self, reply: str) -> str:
        slips = [slip for slip, value in self.slips.items() if number(value) == reply]
        return f"{self.name}.right" if reply == self.right_reply else slips[0] if slips else f"{self.name}.wrong"


def answers(question: Choice | Quantity, say: Words) -> str:
    """The question with what is expected and what wrong replies show, all in the words of its chapter."""
    here = Words("teachers", say.lang)

    def told(reply: str) -> str:
        return f"- **{question.label(say, reply)}** · {say(question.reason(reply))}"

    right = question.right_reply
    lines = [f"**{question.text(say, 'question')}**", "", here("answers.right"), "", told(right)]
    lines += ["", here("answers.wrong"), "", *(told(reply) for reply in question.replies if reply != right)]
    return "\n".join(lines)
