"""What is typed belongs to a model's words: another model reads what was last typed for its own."""

from ui.settings.frame import Frame
from ui.state.borrowed_settings import of_the_reader, put_lent
from ui.state.store import FRAME, session_value, session_values
from ui.state.widgets import current, put

NUMBERS = "numbers"  # the task of every model whose tokens are called by their ids


def speak_words(task: str, example: str, own: str) -> None:
    """From here on the sequences are for a model of this task, which reads `own`, an example in the reader's language,
    until something is typed for it.

    A link brings its own sequences along with its model; where it names none, they are `example`, in any language.
    """
    kept: dict[str, tuple[str, str]] = session_value("typed", {})
    frame, before = current(FRAME, Frame), session_values().get("task", task)
    session_values()["task"] = task
    if before != task:
        _keep(kept, before, frame)
        src, tgt = kept.get(task, (own, ""))
        put(FRAME, "src", src)
        put(FRAME, "tgt", tgt)
    elif frame.src == Frame.default().src:
        put_lent(FRAME, "src", own if session_values().get("newcomer") else example)


def take_model(model: str, task: str, src: str) -> None:
    """Show another model, which reads `src`: a preset. What was typed for the one before is kept."""
    kept: dict[str, tuple[str, str]] = session_value("typed", {})
    frame, before = current(FRAME, Frame), session_values().get("task", task)
    if before != task:
        _keep(kept, before, frame)
    session_values()["task"] = task
    for name, value in {"model": model, "src": src, "tgt": ""}.items():
        put(FRAME, name, value)


def read_anew(src: str) -> None:
    """The model that comes next reads `src`, or an example where that is none yet. What was typed is kept."""
    if "task" in session_values():
        kept: dict[str, tuple[str, str]] = session_value("typed", {})
        _keep(kept, session_values().pop("task"), current(FRAME, Frame))
    put(FRAME, "src", src)
    put(FRAME, "tgt", "")


def _keep(kept: dict[str, tuple[str, str]], task: str, frame: Frame) -> None:
    own = of_the_reader(frame)
    kept[task] = own.src, own.tgt
