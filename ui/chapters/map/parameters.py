"""The map's parameters: block by block, as squares beside the paper's two models, and the printed tree of modules."""

from functools import partial

import numpy as np
import streamlit as st

from transformer_core import EncoderDecoder
from transformer_core.experiments.parameter_count import PAPER, PAPER_VOCAB, of_the_paper, per_block, per_part
from ui.chapters.map.figures.model_scale import ScaledModel, scale_drawing
from ui.chapters.shared.model_program import model_snippet
from ui.figures import Drawing, Figure, large_unit, number
from ui.sections import AnyChapter, Section, show
from ui.sections.table import table

COLORS = {"embeddings": "value", "encoder": "encoder", "decoder": "decoder", "generator": "chosen"}


def blocks_table(chapter: AnyChapter) -> None:
    say, counts = chapter.say, per_block(chapter.at_hand.load())
    total = sum(counts.values())
    rows = [(say(f"count.{name}"), f"{count:,}", f"{count / total:.1%}") for name, count in counts.items()]
    head = [say("count.block"), say("count.parameters"), say("count.share")]
    with st.expander(say("count.title")):
        table(head, [*rows, (f"**{say('count.total')}**", f"**{total:,}**", "100%")])


@Section("scale", look="open", text="text")
def scale(chapter: AnyChapter) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    ours = per_part(at_hand.load())
    config, written = at_hand.config, partial(_written, chapter)
    drawn = {
        say("scale.ours"): ScaledModel(
            (
                say("scale.sizes", N=config.N, d_model=config.d_model, d_ff=config.d_ff, h=config.h),
                say("scale.count", counted=written(sum(ours.values()))),
            ),
            _parts(chapter, ours),
        )
    }
    for name, row in PAPER.items():
        counts = of_the_paper(name)
        words = (
            say("scale.sizes", N=row.N, d_model=row.d_model, d_ff=row.d_ff, h=row.h),
            say("scale.both", counted=written(sum(counts.values())), stated=written(row.stated)),
        )
        drawn[say(f"scale.{name}")] = ScaledModel(words, _parts(chapter, counts))
    counts_of_all = [ours, *(of_the_paper(name) for name in PAPER)]
    figure = Figure(
        "scale",
        Drawing(scale_drawing(drawn, say("scale.alt"), written)),
        at_hand.provenance("per_part(model)", len(drawn), len(ours)),
        numbers=np.array([list(counts.values()) for counts in counts_of_all]),
        columns=[say(f"scale.part.{part}") for part in ours],
        code=[per_part, of_the_paper],
        program=(
            f"{model_snippet(at_hand)}"
            "from transformer_core.experiments.parameter_count import of_the_paper, per_part\n\n"
            "models = (per_part(model), of_the_paper('base'), of_the_paper('big'))\n"
            "shown = [list(counts.values()) for counts in models]\n"
            "print(shown)\n"
        ),
    )
    show(chapter, figure)
    chapter.write("scale.counted", vocab=f"{PAPER_VOCAB:,}")


@Section("tree", look="open", text="text")
def tree(chapter: AnyChapter) -> None:
    model: EncoderDecoder = chapter.at_hand.load()
    folded = st.expander("print(model)", key="map.printed", on_change="rerun")
    if folded.open:  # where programs are drawn browsers load half a megabyte first
        folded.code(str(model), language=None)


def _written(chapter: AnyChapter, count: int) -> str:
    """63.1 M, and in Chinese 6310 万 and 2.14 亿; small numbers in full: 235,851."""
    if count < 1e6:
        return f"{count:,}"
    unit = large_unit(chapter.lang)
    name, divisor = ("larger", unit**2) if count >= unit**2 else ("large", unit)
    return chapter.say(f"scale.{name}", count=number(count / divisor, 3))


def _parts(chapter: AnyChapter, counts: dict[str, int]) -> tuple[tuple[str, str, int], ...]:
    return tuple((chapter.say(f"scale.part.{part}"), COLORS[part], count) for part, count in counts.items())
