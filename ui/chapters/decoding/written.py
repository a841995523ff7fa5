"""The source and the output as rows of tokens, and what the finished output says."""

from collections.abc import Collection, Sequence

import streamlit as st

from ui.chapters.decoding.values import Decoded
from ui.chapters.shared.forced_prefix import OWN, Tokens
from ui.chapters.shared.look_lines import task_of
from ui.chapters.shared.output import boxes, reads, row
from ui.figures.markup import Markup, element, glossed, joined
from ui.sections import AnyChapter

WRONG = "✗"  # not the answer's


def written(chapter: AnyChapter, decoded: Decoded) -> Markup:
    """The source, and the output with the token just written. A wrong one is struck, with the answer's beside it."""
    say, own = chapter.say, range(1, len(decoded.prefix) + 1)
    source = boxes(chapter.at_hand.source.labels(decoded.src), chapter.glosses)
    output = tokens_row(chapter, say("output"), decoded.now.output, own, decoded.wanted, chosen=decoded.turn)
    return joined([row("enc", say("source"), source), output])


def tokens_row(
    chapter: AnyChapter, name: str, output: Sequence[int], own: Collection[int], wanted: Tokens, chosen: int = -1
) -> Markup:
    say, at_hand = chapter.say, chapter.at_hand
    names, right = (at_hand.target.labels(tokens) for tokens in (output, wanted))
    tokens, glosses = [], chapter.glosses
    for at, token in enumerate(names):
        label = glossed(token, glosses)
        kind, inside, hint = "", [label], ""
        if at in own:
            kind, inside, hint = "own", [Markup(f"{OWN} "), label], say("own")
        elif at >= len(wanted) > 0:
            kind, inside, hint = "wrong", [element("s", f"{WRONG} ", label)], say("past")
        elif wanted and output[at] == wanted[at]:
            kind = "right"
        elif wanted:
            gold = element("span", glossed(right[at], glosses), class_="right")
            kind, inside, hint = "wrong", [element("s", f"{WRONG} ", label), Markup(" "), gold], say("mistake")
        rim = " chosen" if at == chosen else ""
        tokens.append(element("span", *inside, class_=f"token {kind}{rim}", title=hint or None))
    return row("dec", name, tokens)


def turn_name(chapter: AnyChapter, turn: int, token: int, wanted: Tokens, *, own: bool) -> str:
    """`3 → 4`; a token that is not the answer's is marked, and one that the reader has put."""
    mark = OWN if own else WRONG if wanted[turn : turn + 1] not in ((), (token,)) else ""
    return f"{turn} → {chapter.at_hand.target.every[token]} {mark}".rstrip()


def finished(chapter: AnyChapter, decoded: Decoded, alone: list[int]) -> None:
    """What the whole output says, beside the answer if there is one, or else beside what the model says `alone`."""
    say, at_hand, output, wanted = chapter.say, chapter.at_hand, decoded.turns[-1].output, decoded.wanted
    values: dict[str, object] = {"output": reads(at_hand, output)}
    if wanted:
        same = sum(ours == theirs for ours, theirs in zip(output[1:], wanted[1:]))
        values |= {"same": same, "of": len(wanted) - 1, "answer": reads(at_hand, list(wanted))}
        key = "result" if at_hand.words is None else "result_right" if output == list(wanted) else "result_wrong"
    elif decoded.prefix:
        values |= {"prefix": reads(at_hand, decoded.prefix), "alone": reads(at_hand, alone)}
        key = "result_forced"
    else:
        key = "result_only" if task_of(at_hand) is None else "result_unknown"
    chapter.write(key, **values)
    if at_hand.target.end is not None and output[-1] != at_hand.target.end:
        st.markdown(say("endless", room=len(output)))
