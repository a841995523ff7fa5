"""Greedy decoding beside a beam: where the likeliest token leads to an output that is less likely."""

import math

import streamlit as st

from transformer_core import beam_search, greedy_decode
from transformer_core.experiments.search_errors import search_errors
from ui import address
from ui.chapters.shared.begun import Tokens
from ui.chapters.shared.output import reads
from ui.chapters.ways.searched import to_search
from ui.chapters.ways.sentence import missing_word
from ui.chapters.ways.values import beam_of, beam_program, greedy_of, logits_of
from ui.figures.beams import Output, compared_board
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.page.typed import typed
from ui.showing.show import show

LABELS = ("greedy", "beam", "sum", "length", "penalty", "normalised", "token")


def mistake(chapter: Chapter) -> None:
    """With the width and the α that stand above."""
    at_hand, settings, src = chapter.at_hand, chapter.settings, typed(chapter, "src")
    if missing_word(chapter, "mistake"):
        address.run_again()
    begun = to_search(chapter, src)
    if begun is not None:
        found = beam_of(at_hand, src, settings.width, settings.alpha, begun)
        winner = found.output(found.finished(settings.alpha)[0])
        _figure(chapter, src, begun, greedy_of(at_hand, src, begun), winner)
    if at_hand.kind == "translate":
        chapter.write("mistake.searched")


def _figure(chapter: Chapter, src: Tokens, begun: Tokens, alone: list[int], winner: list[int]) -> None:
    at_hand, say, settings = chapter.at_hand, chapter.say, chapter.settings
    outputs = {"greedy": _output(chapter, src, alone), "beam": _output(chapter, src, winner)}
    board = compared_board(
        outputs, settings.alpha, {name: say(f"label.{name}", width=settings.width) for name in LABELS}
    )
    shown = (
        f"best = beam.finished({settings.alpha:g})[0]\n"
        "shown = torch.tensor([[beam.nodes[at].log_prob for at in beam.way(best)]])\n"
    )
    figure = Figure(
        "greedy",
        board,
        say("mistake.alt", greedy=reads(at_hand, alone), beam=reads(at_hand, winner)),
        at_hand.provenance("generator.logits", len(winner) - 1, len(at_hand.target)),
        columns=outputs["beam"].names,
        code=[greedy_decode, beam_search, search_errors],
        program=beam_program(at_hand, src, settings.width, settings.alpha, begun, shown),
    )
    show(chapter, figure)
    scores = {name: float(output.log_probs.sum()) for name, output in outputs.items()}
    key = "same" if alone == winner else "mended" if scores["beam"] > scores["greedy"] else "shorter"
    values: dict[str, object] = {name: number(score, 4) for name, score in scores.items()}
    values |= {f"{name}_share": _share(math.exp(score)) for name, score in scores.items()}
    values |= {"greedy_reads": reads(at_hand, alone), "beam_reads": reads(at_hand, winner)}
    parted = next((at for at, pair in enumerate(zip(alone, winner)) if pair[0] != pair[1]), 0)
    named = at_hand.target.every
    values |= {"turn": parted, "one": named[alone[parted]], "other": named[winner[parted]]}
    st.markdown(say(f"mistake.{key}", **values))
    if key == "same" and math.exp(scores["beam"]) > 0.5:
        st.markdown(say("mistake.half"))


def _share(probability: float) -> str:
    """`21.4%`; what would be written as nothing as a power of ten."""
    return f"{probability:.1%}" if probability >= 5e-4 else number(probability, 2)


def _output(chapter: Chapter, src: Tokens, output: list[int]) -> Output:
    at_hand = chapter.at_hand
    (logits,) = logits_of(at_hand, src, (tuple(output[:-1]),))
    return Output(logits, output[1:], at_hand.target.labels(output)[1:])
