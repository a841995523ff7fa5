"""The options of the command by which a file of pairs is read, and what is said of how it was read."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from transformer_core.tasks.pair_columns import Columns
from transformer_core.tasks.pair_encoding import decoded, encoding_of
from transformer_core.tasks.pair_lines import Look, look_at, pairs_of

LONGEST_CELL = 40  # letters
FORMS = {
    "\t": "columns apart by tabs",
    ",": "columns apart by commas",
    ";": "columns apart by semicolons",
    "json": "JSON",
}
WHY = {
    "columns": "another number of columns than most lines have",
    "empty_cell": "an empty source or target",
    "unseen": "signs that cannot be seen",
    "json": "no JSON",
    "quotes": "a quotation mark that is not closed, or closes within a cell",
}


HOW = {"columns": "columns", "header": "header", "cut": "unit", "sample_seed": "seed"}  # options, as `look_at` has them


def add_options(parser: argparse.ArgumentParser) -> None:
    """What can be said of how the file is read; what is not said is not among the options that are given."""
    group = parser.add_argument_group("how the file of --pairs is read (found out if not given, and said on stderr)")
    options: dict[str, dict[str, Any]] = {
        "--columns": {"type": _columns, "metavar": "S,T", "help": "the columns of source and target, such as 2,4"},
        "--header": {
            "action": argparse.BooleanOptionalAction,
            "help": "whether the first line names the columns, and is no pair",
        },
        "--cut": {"choices": ["words", "letters"], "help": "what a token is, on both sides"},
        "--sample-seed": {
            "type": int,
            "metavar": "N",
            "help": "by which lines are drawn from too many (0 if not given)",
        },
    }
    for name, option in options.items():
        group.add_argument(name, default=argparse.SUPPRESS, **option)


def with_pairs(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with the pairs that are in the file, for what says how it is read. How it was read is told on stderr.

    ValueError, by a sentence, if there are no pairs in the file, or no file; OSError if it cannot be read.
    """
    how = {HOW[name]: value for name, value in options.items() if name in HOW}
    others = {name: value for name, value in options.items() if name not in HOW}
    path = others.get("pairs")
    if path is None:
        if how:
            raise ValueError("--columns, --header, --cut and --sample-seed say how the file of --pairs is read")
        return others
    content = path.read_bytes()
    look = look_at(decoded(content), **how)
    print(f"{path.name}: {encoding_of(content).upper()}, {FORMS[look.form]}", *_told(look), sep="\n  ", file=sys.stderr)
    return others | {"pairs": pairs_of(look).text}


def _told(look: Look) -> Iterator[str]:
    """A line for what was taken, and one for each reason why some of it was not."""
    names = look.head[0] if look.header else ()
    source, target = (f"column {at}" + (f" ({_short(names[at - 1])})" if names else "") for at in look.columns)
    others = f", {look.width - 2} left aside; --columns takes others" if look.width > 2 else ""
    yield f"source: {source}, by {look.units[0]}; target: {target}, by {look.units[1]}{others}"
    if not look.named:
        other = "--no-header trains on it" if look.header else "--header leaves it out"
        kind = "a header, and left out" if look.header else "a pair"
        yield f"the first line is {kind}; {other}: {' | '.join(map(_short, look.head[0]))}"
    drawn = "" if look.seed is None else f", drawn with --sample-seed {look.seed}"
    repeated = f", {look.repeated:,} came again" if look.repeated else ""
    yield f"pairs: {len(look.rows):,} of {look.lines:,} lines{drawn}{repeated}"
    for reason in look.reasons:
        first = ", ".join(map(str, reason.first)) + (" …" if reason.lines > len(reason.first) else "")
        yield f"left out: {reason.lines:,} with {WHY[reason.name]} (line {first})"


def _short(cell: str) -> str:
    shown = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in cell)
    return shown if len(shown) <= LONGEST_CELL else f"{shown[: LONGEST_CELL - 1]}…"


def _columns(text: str) -> Columns:
    source, _, target = text.partition(",")
    if not (source.strip().isdecimal() and target.strip().isdecimal()):
        raise argparse.ArgumentTypeError("two numbers with a comma between them, such as 2,4")
    return int(source), int(target)
