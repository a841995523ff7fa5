"""The source and the output as rows of tokens, and what the finished output says."""

from collections.abc import Collection, Sequence
from html import escape

import streamlit as st

from ui.chapters.decoding.values import Tokens
from ui.chapters.shared.begun import OWN
from ui.chapters.shared.gold import task_of
from ui.chapters.shared.output import reads, row
from ui.frame.chapter import Chapter

WRONG = "✗"  # not the answer's


def written(chapter: Chapter, src: Tokens, output: Sequence[int], begun: int, wanted: Tokens) -> str:
    """The source, and the output with the token just written. A wrong one is struck, with the answer's beside it; the
    first `begun` after the start symbol are the reader's."""
    say, at_hand = chapter.say, chapter.at_hand
    source = [f'<span class="token">{escape(name)}</span>' for name in at_hand.source.labels(src)]
    output_row = tokens_row(chapter, say("output"), output, range(1, begun + 1), wanted, chosen=len(output) - 1)
    return row("enc", say("source"), source) + output_row


def tokens_row(
    chapter: Chapter, name: str, output: Sequence[int], own: Collection[int], wanted: Tokens, chosen: int = -1
) -> str:
    """An output beside the answer, if there is one; those at the places `own` are the reader's."""
    say, at_hand = chapter.say, chapter.at_hand
    names, right = (at_hand.target.labels(tokens) for tokens in (output, wanted))
    boxes = []
    for at, label in enumerate(map(escape, names)):
        if at in own:
            kind, inside, hint = "own", f"{OWN} {label}", say("own")
        elif not wanted:
            kind, inside, hint = "", label, ""
        elif at >= len(wanted):
            kind, inside, hint = "wrong", f"<s>{WRONG} {label}</s>", say("past")
        elif output[at] == wanted[at]:
            kind, inside, hint = "right", label, ""
        else:
            gold = escape(right[at])
            kind, inside, hint = "wrong", f'<s>{WRONG} {label}</s> <span class="right">{gold}</span>', say("mistake")
        rim = " chosen" if at == chosen else ""
        title = f' title="{escape(hint)}"' if hint else ""
        boxes.append(f'<span class="token {kind}{rim}"{title}>{inside}</span>')
    return row("dec", name, boxes)


def finished(chapter: Chapter, output: list[int], begun: Tokens, wanted: Tokens, alone: list[int]) -> None:
    """What the whole output says, beside the answer if there is one, or else beside what the model says `alone`."""
    say, at_hand = chapter.say, chapter.at_hand
    values: dict[str, object] = {"output": reads(at_hand, output)}
    if wanted:
        same = sum(ours == theirs for ours, theirs in zip(output[1:], wanted[1:]))
        values |= {"same": same, "of": len(wanted) - 1, "answer": reads(at_hand, list(wanted))}
        key = "result" if at_hand.words is None else "result_right" if output == list(wanted) else "result_wrong"
    elif begun:
        values |= {"begun": reads(at_hand, list(begun)), "alone": reads(at_hand, alone)}
        key = "result_begun"
    else:
        key = "result_only" if task_of(at_hand) is None else "result_unknown"
    st.markdown(say(key, **values))
    if at_hand.target.end is not None and output[-1] != at_hand.target.end:
        st.markdown(say("endless", room=len(output)))
