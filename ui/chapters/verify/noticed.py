"""What the checks ask: which of them can notice a break; why; and the same of another break, measured."""

from transformer_core.verify.broken import Break
from ui.chapters.verify.formulas import EVERY
from ui.chapters.verify.values import Examined
from ui.figures import number
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, first_of
from ui.sections.sequence_fields import source_of

NOTICES = Choice("ask_notices", ("rows", "attention", "norm"), right="attention")
TOKENS = 40  # of a sentence that are read, at most
# Of each other break the checks to choose from: one of them fails.
BREAKS: dict[Break, tuple[str, ...]] = {"mask": ("rows", "causality", "norm"), "axis": ("rows", "rotation", "norm")}


def of_another(chapter: AnyChapter, seed: int) -> Version | None:
    return first_of(seed, tuple(BREAKS), lambda how: _of(chapter, how))


def _of(chapter: AnyChapter, how: Break) -> Version | None:
    say, examined = chapter.say, Examined(chapter.at_hand, source_of(chapter, TOKENS), how)
    model = chapter.at_hand.load()
    checks = {check.name: check for check in EVERY}
    errors = {name: examined.measure(checks[name], model) for name in BREAKS[how]}
    failed = [name for name, error in errors.items() if not checks[name].holds(error)]
    if len(failed) != 1:
        return None
    error, check = errors[failed[0]], checks[failed[0]]
    said = {"broken": say(f"broken_option.{how}"), "error": number(error, 2), "tolerance": number(check.tolerance, 2)}
    return Version(failed[0], said, {name: say(f"check.{name}.name") for name in errors})


NOTICED = Inquiry(NOTICES, ("small", "truth", "law"), "law", of_another)
