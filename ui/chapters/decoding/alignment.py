"""The source word that each word of the output looked at when it was written, as lines between the two sentences."""

from functools import partial

import numpy as np
from torch import Tensor

from transformer_core import PAD, attention_steps, greedy_steps
from transformer_core.decoding.loop import Outputs
from transformer_core.experiments.alignment import reference_alignment
from transformer_core.tasks import OwnPairs
from ui.chapters.decoding.figures.turns import aligned_board
from ui.chapters.decoding.turns import STEP, Turns, decoded_of
from ui.chapters.decoding.values import Decoded, turns_snippet
from ui.chapters.shared.forced_prefix import OWN
from ui.chapters.shared.look_lines import look_lines, task_of
from ui.components.drawings import Token
from ui.figures import Board, Figure, number
from ui.figures.board import nearest
from ui.sections import Chapter, Frame, Section, controls, show
from ui.sections.sequence_fields import typed
from ui.settings.fields import CellSetting, Settings, cell, whole

LABELS = ("aligned", "turn", "source")


class DecodingAlignmentSettings(Settings):
    align_head: int = whole(0, 0, 63)
    align_cell: CellSetting = cell()  # an output word and a source word


@Section("alignment", settings=DecodingAlignmentSettings, reads=(Turns, Frame), look="open", text="text", step=STEP)
def alignment(chapter: Chapter[DecodingAlignmentSettings]) -> None:
    """Of the turns up to the one that stands above, in the layer that stands there."""
    src = typed(chapter, "src")
    if len(src) < 2:
        return
    head = controls.number_of(chapter, "align_head", chapter.at_hand.config.h)
    layer = min(chapter.of(Turns).settings.layer, chapter.at_hand.config.N - 1)
    _lines(chapter, decoded_of(chapter, src), layer, head)


def _reference(chapter: Chapter[DecodingAlignmentSettings], decoded: Decoded) -> Tensor | None:
    """(turns, S) bool; None unless all that is written so far is the answer's."""
    so_far = decoded.now.output
    answer = chapter.at_hand.config.answer(decoded.src)
    if answer is None or so_far != list(decoded.wanted[: len(so_far)]):
        return None
    task = task_of(chapter.at_hand)
    reference = None if task is None else reference_alignment(task, decoded.src, answer)
    return None if reference is None else reference[: decoded.turn]


def _lines(chapter: Chapter[DecodingAlignmentSettings], decoded: Decoded, layer: int, head: int) -> None:
    say, at_hand, reference = chapter.say, chapter.at_hand, _reference(chapter, decoded)
    weights, scores = (
        np.stack([getattr(turn, name)[layer, head] for turn in decoded.so_far]) for name in ("cross", "masked")
    )
    output, source = at_hand.target.labels(decoded.now.output)[1:], at_hand.source.labels(decoded.src)
    named = [f"{OWN} {name}" if at < len(decoded.prefix) else name for at, name in enumerate(output)]
    padded = [place for place, token in enumerate(decoded.src) if token == PAD]
    board = aligned_board(
        scores, weights, named, source, padded, {name: say(f"label.{name}", layer=layer) for name in LABELS}
    )
    last = len(weights) - 1
    _, query, key = nearest(board.panels, chapter.settings.align_cell) or ("", last, int(weights[last].argmax()))
    alt, sides = say("alignment.alt", turn=decoded.turn), (say("output"), say("source"))
    lines = look_lines(
        weights,
        named,
        source,
        sides=sides,
        query=query,
        key=key,
        reference=reference,
        alt=alt,
        board=board,
        glosses=chapter.glosses,
    )
    path = f"decoder.layers.{layer}.src_attn.weights"
    figure = Figure(
        "aligned",
        lines,
        at_hand.provenance(f"{path}[:, -1]", *weights.shape, head=head),
        code=[greedy_steps, Outputs, attention_steps],
        program=turns_snippet(
            at_hand, decoded, f"torch.stack([turn.trace['{path}'][0, {head}, -1] for turn in turns])"
        ),
        alt=alt,
    )

    def words() -> None:
        most = int(weights[query].argmax())
        values = {"turn": query + 1, "output": output[query], "source": source[key], "most": source[most]}
        values |= {"weight": number(float(weights[query, key]), 3), "largest": number(float(weights[query, most]), 3)}
        chapter.write("alignment.most" if key == most else "alignment.pair", **values)
        unknown = "unknown" if task_of(at_hand) else "unknown_task"
        if isinstance(at_hand.words, OwnPairs):
            chapter.write("alignment.unknown_pairs")
            return
        chapter.write(f"alignment.{unknown if reference is None else 'legend'}")

    choose = partial(_choose, chapter, board, weights, query)
    show(chapter, figure, on_pick=chapter.then(choose), beside=[words])


def _choose(
    chapter: Chapter[DecodingAlignmentSettings], board: Board, weights: np.ndarray, query: int, token: Token
) -> None:
    """A word of the output with the one that it looked at most, or one of the source with the output's at hand."""
    row = min(token.index, len(weights) - 1)
    asked = (row, int(weights[row].argmax())) if token.side == "query" else (query, token.index)
    chapter.put("align_cell", nearest(board.panels, ("aligned", *asked)))
