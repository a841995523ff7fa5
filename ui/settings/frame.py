"""Settings that every chapter shares: language, the model at hand, the sequences it reads, what a lesson hides."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Self

from ui.settings.chapters import DEEP, STORIES
from ui.settings.fields import Settings, choice, flag, letters, sequence, text, whole
from ui.settings.lessons import LESSONS, STOPS, LessonStop, stop_at
from ui.text import languages

LATEST = 0  # step: the last one the run has reached
NAME = 600  # of a run: the most letters that its settings take, and some more
LETTERS = 500  # of a sequence: the most tokens that can be drawn have room, and some more
END = 100_000  # other_step: beyond the last one, which it means

# What the model at hand can be compared with: other models, and itself with one thing broken.
MODELS = ("untrained", "trained", "translate", "spanish", "step", "run")
BREAKS = ("scale", "mask", "axis")


# What a link says of the screen and not of what is shown: of who looks, and of a chapter's part that stands alone.
OF_LECTURE = ("only", "present", "presenter", "lesson", "at_stop", "slide")
SCREEN = ("lang", "room", "follow", *OF_LECTURE, "hide", "own", "notes", "draw")


class Frame(Settings):
    lang: str = choice("auto", "auto", *languages())
    model: str = choice(
        "trained", "trained", "translate", "spanish", *DEEP.values(), "fresh", "fresh_translate", "notes", "run", "own"
    )
    fresh: int = whole(0, 0, 9999)  # seed of the fresh, untrained model
    run: str = text("", NAME)  # settings of a training run that differ from the defaults, `name:value,name:value`
    step: int = whole(LATEST, 0, END)  # step of that run
    fault: str = text("", 20)  # seed of the fault that is hidden in a shipped model; one that is none is told about
    compare: str = choice("nothing", "nothing", *MODELS, *BREAKS)
    other: str = text("", NAME)  # the run that is compared with, named as `run`
    other_step: int = whole(END, 0, END)  # step of it, or of the run of the model at hand
    src: str = sequence("1 3 2 5 4 6 7 8 9 10", LETTERS)
    tgt: str = sequence("", LETTERS)  # empty: what the task makes of the source
    own: str = sequence("", LETTERS)  # the reader's source, while a story has lent another
    only: str = text("")  # the section that stands alone on its page
    present: bool = flag(False)  # lecture mode: one section at a time, for a projector
    presenter: bool = flag(False)  # lecture mode: the lecturer's notes instead, in a window of their own
    lesson: str = choice("", "", *LESSONS)  # lecture mode, at a stop of that lesson
    at_stop: int = whole(
        1, 1, STOPS
    )  # its number; beside a lesson a link calls it `stop`, elsewhere a chapter's own word
    slide: str = choice("", "", "question", "answer")  # a stop as a page of slides: what it asks, or its answer too
    hide: str = text("")  # controls that a lesson's link hides, separated by commas
    notes: str = choice("auto", "auto", "1", "0")  # whether the pages speak of the lecture notes; auto: in Chinese
    draw: str = choice("canvas", "canvas", "plotly")  # what draws matrices and curves: ours, or Plotly in their place
    room: str = letters(4)  # the class that this page takes part in
    follow: bool = flag(True)  # a student's page goes along with what the room asks

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        in_lesson = "stop" in query and super().from_query(query).lesson
        return super().from_query({**query, "at_stop": query["stop"]} if in_lesson else query)

    def to_query(self, said: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
        link = super().to_query(said)
        if self.lesson:
            link.pop("at_stop", None)
            link["stop"] = str(self.at_stop)
        return link

    def speaks_of_notes(self, lang: str) -> bool:
        """Whether a page in this language has what is only for readers of the lecture notes, which are in Chinese."""
        return self.notes == "1" or (self.notes == "auto" and lang == "zh")

    @property
    def at(self) -> LessonStop | None:
        """The stop of a lesson that is on the screen."""
        return stop_at(self.lesson, self.at_stop)

    def stop_sets(self, chapter: str) -> dict[str, str]:
        """What the stop sets in this chapter, if it is one of its own; the link need not say it."""
        if self.at is None or self.at.chapter != chapter:
            return {}
        story = {"scene": "1"} if self.at.tells and chapter in STORIES else {}
        return {"present": "1", **story, **self.at.settings}

    def without_stop(self) -> "Frame":
        """Out of the lesson, and on its page with all its sections."""
        return replace(self, lesson="", at_stop=1, only="") if self.lesson else self

    def whole(self) -> "Frame":
        """As the next chapter begins: with all its sections and controls, out of a lesson; a lecture goes on."""
        return replace(self, own="", lesson="", at_stop=1, only="", hide="", present=self.present and not self.lesson)
