"""What is right: the claims that an entry would have, had it been answered so. For paper, where a key is asked for."""

from collections.abc import Callable, Mapping

import numpy as np

from transformer_core.exercises.drawing import rate, wave
from transformer_core.exercises.drawing.packed import FULL, packed
from transformer_core.exercises.faults.which_fault import fault_of
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import right as in_order
from transformer_core.exercises.parsons.assembly import written
from transformer_core.exercises.worksheet import TASKS
from transformer_core.labsheet.judges import Claims, drawing
from transformer_core.labsheet.sheet import Claim, Entry, opened

DIGITS = 4

Key = Callable[[str, str, Mapping[str, str]], Claims]  # of a chapter, what is asked there, and what a link says


def key(entry: Entry) -> Claims:
    """Of an entry that a judge has found to be an answer. Nothing where only a model or a run of the reader's knows."""
    if entry.kind not in KEYS:
        return ()
    chapter, said = opened(entry.link)
    return KEYS[entry.kind](chapter, entry.what, said)


def add_key(kind: str, key: Key) -> None:
    """From here on this says what is right of entries of this kind."""
    KEYS[kind] = key


def _of_name(key: Callable[[str, int], Claims]) -> Key:
    """Of an exercise that its name says all of, "beam 3"."""

    def of(_: str, what: str, __: Mapping[str, str]) -> Claims:
        name, _, seed = what.partition(" ")
        return key(name, int(seed or "0"))

    return of


def _worksheet(name: str, seed: int) -> Claims:
    blanks = TASKS[name].exercise(seed).blanks
    return tuple(Claim(blank.place, f"{blank.right:.{DIGITS}g}", "", "right") for blank in blanks)


def _mend(name: str, _: int) -> Claims:
    return (Claim(name, written(in_order(PUZZLES[name])), "", "right"),)


def _draw(name: str, seed: int) -> Claims:
    if name == "wave":
        asked = wave.asked(seed)
        truth = wave.code_of(*asked).double().numpy()
        return (drawing(name, _levels((truth + 1) / 2), "", wave.judged(asked, truth)),)
    if name == "rate":
        rates = rate.asked(seed)
        truth = rate.rates(*rates)[:, 1]
        return (drawing(name, _levels(truth / rates.top), "", rate.judged(rates, truth)),)
    return ()


def _levels(heights: np.ndarray) -> str:
    """As a link has a drawing: (points,) from 0, at the bottom of the sheet, to 1."""
    return packed([round(FULL * float(height)) for height in heights])


def _fault(seed: str, _: int) -> Claims:
    return (Claim("fault", fault_of(int(seed)).name, "", "right"),)


OF = {"worksheet": _worksheet, "mend": _mend, "draw": _draw, "fault": _fault}
KEYS: dict[str, Key] = {kind: _of_name(key) for kind, key in OF.items()}
