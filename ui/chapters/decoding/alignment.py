"""The source word that each word of the output looked at when it was written, as lines between the two sentences."""

import numpy as np
import streamlit as st
from torch import Tensor

from transformer_core import PAD, attention_steps, greedy_steps
from transformer_core.decoding.loop import Outputs
from transformer_core.experiments.alignment import reference_alignment
from ui.chapters.decoding.values import Decoded, aligned_snippet, turns_of, wanted_of
from ui.chapters.shared.begun import OWN, begun_of
from ui.chapters.shared.gold import task_of
from ui.chapters.shared.look_lines import look_lines
from ui.figures.board import nearest
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.figures.turns import aligned_board
from ui.frame.chapter import Chapter, draw_again
from ui.page import controls
from ui.page.typed import typed
from ui.showing import show

LABELS = ("aligned", "turn", "source")


def alignment(chapter: Chapter) -> None:
    """Of the turns up to the one that stands above, in the layer that stands there."""
    decoded = _decoded(chapter)
    if decoded is None:
        return
    head = controls.number_of(chapter, "align_head", chapter.at_hand.config.h)
    layer = min(chapter.settings.layer, chapter.at_hand.config.N - 1)
    gold = _gold(chapter, decoded)
    _lines(chapter, decoded, layer, head, gold)


def _decoded(chapter: Chapter) -> Decoded | None:
    src, settings, at_hand = typed(chapter, "src"), chapter.settings, chapter.at_hand
    if len(src) < 2:
        return None
    begun, start = begun_of(chapter, src), min(settings.start, len(at_hand.target) - 1)
    turns = turns_of(at_hand, src, start, begun)
    wanted = wanted_of(at_hand, src, start, begun)
    return Decoded(src, start, begun, turns, min(settings.turn, len(turns)), wanted)


def _gold(chapter: Chapter, decoded: Decoded) -> Tensor | None:
    """(turns, S) bool; None unless all that is written so far is the answer's."""
    so_far = decoded.now.output
    answer = chapter.at_hand.config.answer(decoded.src)
    if answer is None or so_far != list(decoded.wanted[: len(so_far)]):
        return None
    task = task_of(chapter.at_hand)
    gold = None if task is None else reference_alignment(task, decoded.src, answer)
    return None if gold is None else gold[: decoded.turn]


def _lines(chapter: Chapter, decoded: Decoded, layer: int, head: int, gold: Tensor | None) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    weights, scores = (
        np.stack([getattr(turn, name)[layer, head] for turn in decoded.so_far]) for name in ("cross", "masked")
    )
    output, source = at_hand.target.labels(decoded.now.output)[1:], at_hand.source.labels(decoded.src)
    named = [f"{OWN} {name}" if at < len(decoded.begun) else name for at, name in enumerate(output)]
    padded = [place for place, token in enumerate(decoded.src) if token == PAD]
    labels = {name: say(f"label.{name}", layer=layer) for name in LABELS}
    board = aligned_board(scores, weights, named, source, padded, labels)
    path = f"decoder.layers.{layer}.src_attn.weights"
    figure = Figure(
        "aligned",
        board,
        say("alignment.alt", turn=decoded.turn),
        at_hand.provenance(f"{path}[:, -1]", *weights.shape, head=head),
        code=[greedy_steps, Outputs, attention_steps],
        program=aligned_snippet(at_hand, decoded, layer, head),
    )
    last = len(weights) - 1
    _, query, key = nearest(board.panels, chapter.settings.align_cell) or ("", last, int(weights[last].argmax()))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        token = look_lines(
            chapter,
            "alignment",
            weights,
            named,
            source,
            sides=(say("output"), say("source")),
            query=query,
            key=key,
            gold=gold,
            alt=str(figure.alt),
        )
    with right:
        most = int(weights[query].argmax())
        values = {"turn": query + 1, "output": output[query], "source": source[key], "most": source[most]}
        values |= {"weight": number(float(weights[query, key]), 3), "largest": number(float(weights[query, most]), 3)}
        chapter.write("alignment.most" if key == most else "alignment.pair", **values)
        unknown = "unknown" if task_of(at_hand) else "unknown_task"
        chapter.write(f"alignment.{unknown if gold is None else 'legend'}")
    show.close(chapter, figure)
    if token:
        row = min(token.index, last)
        asked = (row, int(weights[row].argmax())) if token.side == "query" else (query, token.index)
        moved = nearest(board.panels, ("aligned", *asked))
        if moved != chapter.settings.align_cell:
            chapter.put("align_cell", moved)
            draw_again()
