"""A question to a class, and how often each reply was given to it, round by round."""

from typing import Literal, NamedTuple

Phase = Literal["open", "counts", "told"]  # replies come in; their counts are shown, and no more come in; the answer is
ROUNDS = 20  # of a question
MOST_REPLIES, LONGEST_NAME, LONGEST_LINK = 16, 60, 4000


class ClassQuestion(NamedTuple):
    """The question of a chapter, the replies that can be counted, the right one among them, what a student's link to it
    says, and the blanks in the question's words."""

    chapter: str
    question: str
    replies: tuple[str, ...]
    right: str
    link: tuple[tuple[str, str], ...] = ()
    said: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> tuple[str, ...]:
        """Of the question with these blanks: with others it is another one."""
        return self.chapter, self.question, *(value for _, value in self.said)

    @property
    def fits(self) -> bool:
        """Whether it is no larger than what is kept of a question."""
        names = (self.chapter, self.question, *self.replies, *(part for pair in self.said for part in pair))
        small = len(self.replies) <= MOST_REPLIES and max(map(len, names)) <= LONGEST_NAME
        short = sum(len(name) + len(value) for name, value in self.link) <= LONGEST_LINK
        return small and short and self.right in self.replies


class Result(NamedTuple):
    """How often each reply was given, in each round."""

    asked: ClassQuestion
    rounds: tuple[tuple[int, ...], ...]


class Ballot:
    """The rounds of one question. Of the last one it is known which browser has given which reply, until it is over."""

    def __init__(self, asked: ClassQuestion) -> None:
        self.asked = asked
        self.phase: Phase = "open"
        self.rounds = [[0] * len(asked.replies)]
        self.given: dict[bytes, int] = {}  # browser: index of its reply

    def reply(self, browser: bytes, reply: str) -> bool:
        """Count a reply in place of the one before; False where none of this kind, or none any more, is counted."""
        if self.phase != "open" or reply not in self.asked.replies:
            return False
        counts, at = self.rounds[-1], self.asked.replies.index(reply)
        before = self.given.get(browser)
        if before is not None:
            counts[before] -= 1
        counts[at] += 1
        self.given[browser] = at
        return True

    def turn(self, phase: Phase) -> bool:
        """On to another phase: from the counts, or the answer, back to "open" it is a new round."""
        if phase == "open" and self.phase != "open":
            if len(self.rounds) == ROUNDS:
                return False
            self.rounds.append([0] * len(self.asked.replies))
            self.given = {}
        elif phase == "counts" and self.phase == "told":
            return False  # what is told is known
        self.phase = phase
        return True

    def end(self) -> None:
        """Let go of who has replied, and let no more replies come in."""
        self.phase = "counts" if self.phase == "open" else self.phase
        self.given = {}

    def of(self, browser: bytes) -> str | None:
        """Its reply in this round."""
        at = self.given.get(browser)
        return None if at is None else self.asked.replies[at]

    @property
    def answered(self) -> int:
        return sum(self.rounds[-1])

    @property
    def shown(self) -> tuple[tuple[int, ...], ...]:
        """The counts that may be seen: not those of a round that is open."""
        return tuple(map(tuple, self.rounds[:-1] if self.phase == "open" else self.rounds))

    @property
    def result(self) -> Result:
        return Result(self.asked, tuple(map(tuple, self.rounds)))
