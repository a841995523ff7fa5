"""A row of attention of the model at hand, to be drawn."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import streamlit as st

from transformer_core.attention import attention_steps
from transformer_core.exercises.drawing import row
from transformer_core.exercises.drawing.row import Attention, AttentionRow
from transformer_core.exercises.drawing.verdict import Cause
from transformer_core.softmax import SoftmaxSteps, softmax_steps
from ui import state
from ui.chapters.practice.drawing.asked import DrawingTask, DrawSettings, Goal
from ui.chapters.shared.attention_values import MODULES, attention_snippet, mask_of, path
from ui.figures import percent
from ui.figures.sheet import DrawingSheet
from ui.inputs.sequence import TypedSequences, shifted
from ui.model import answer, recorded
from ui.sections import AnyChapter, Chapter
from ui.sections.sequence_fields import LONGEST, source_of, typed
from ui.settings.chapters import page

GRID = (0, 0.25, 0.5, 0.75, 1)
SHARES = {
    "share",
    "given",
    "drawn",
    "less_drawn",
    "less_true",
    "more_drawn",
    "more_true",
}  # in a cause; others are keys


@dataclass(frozen=True)
class _Row:
    place: AttentionRow
    sequences: TypedSequences
    weights: np.ndarray  # (h, T, S) of its attention
    mask: np.ndarray  # (T, S)

    @property
    def truth(self) -> np.ndarray:
        return np.asarray(self.weights[self.place.head, self.place.row], dtype=np.float64)

    @property
    def keys(self) -> list[str]:
        return self.sequences.targets if self.place.kind == "decoder" else self.sequences.sources

    @property
    def queries(self) -> list[str]:
        return self.sequences.sources if self.place.kind == "encoder" else self.sequences.targets

    def hint(self) -> tuple[int, int] | None:
        """Query and key of the heaviest weight that the same head has in another row; None where there is none."""
        weights = np.where(self.mask & (self.mask.sum(1, keepdims=True) > 1), self.weights[self.place.head], 0.0)
        weights[self.place.row] = 0.0
        query, key = np.unravel_index(int(weights.argmax()), weights.shape)
        return (int(query), int(key)) if weights[query, key] > 0 else None


def row_asked(chapter: Chapter[DrawSettings]) -> DrawingTask | None:
    of = _found(chapter)
    if of is None:
        return None
    (kind, layer, head, at), truth = of.place, of.truth
    at_hand, say, own = chapter.at_hand, chapter.say, None if kind == "cross" else at
    weights = f"{path(kind, layer)}.weights"
    sheet = DrawingSheet(
        f"row.{at_hand.provenance(weights, head=head)}.{at_hand.kind}.{at}.{of.sequences.src}.{of.sequences.given}",
        "bars",
        of.keys,
        say("draw.row.x"),
        say("draw.row.y"),
        0,
        1,
        GRID,
        labels=[(name, chapter.glosses.get(name, "")) for name in of.keys],
    )
    return DrawingTask(
        _goals(of),
        sheet,
        lambda: truth,
        lambda drawn, right: row.judged(drawn, right, of.mask[at], own),
        row.NEAR,
        at_hand.provenance(f"{weights}[{at}]", len(truth), head=head),
        np.arange(len(truth)),
        code=(attention_steps, softmax_steps, SoftmaxSteps),
        program=attention_snippet(at_hand, of.sequences, kind, layer, head).replace(
            "shown = weights\nprint(shown)\n", f"truth = weights[{at}]\n"
        ),
        said=lambda cause: _said(of.keys, cause),
        beside=[lambda: _computed(chapter, of.place)],
    )


def _found(chapter: AnyChapter) -> _Row | None:
    """The row that the seed asks for, or None after saying why there is none."""
    at_hand, seed = chapter.at_hand, chapter.settings.draw_seed
    src = source_of(chapter, LONGEST)
    sequences = shifted(src, typed(chapter, "tgt") or answer(at_hand, src), at_hand.config.vocabularies)
    trace = recorded(at_hand, sequences.src, sequences.given)
    every = [
        Attention(kind, layer, trace[f"{path(kind, layer)}.weights"][0].numpy(), mask_of(kind, sequences).numpy())
        for kind in MODULES
        for layer in range(at_hand.config.N)
    ]
    if not all(np.isfinite(one.weights).all() for one in every):
        st.warning(chapter.say("draw.row.broken"))
        return None
    place = row.asked(every, seed)
    if place is None:
        st.info(chapter.say("draw.row.alone"))
        return None
    of = next(one for one in every if (one.kind, one.layer) == (place.kind, place.layer))
    return _Row(place, sequences, of.weights, of.mask)


def _goals(of: _Row) -> list[Goal]:
    kind, layer, head, at = of.place
    values: dict[str, object] = {"layer": layer, "head": head, "at": at, "query": of.queries[at]}
    if kind != "encoder":
        values["next"] = of.sequences.answers[at] if at < len(of.sequences.answers) else of.sequences.answers[-1]
    goals = [Goal(f"draw.row.goal.{kind}", values)]
    hint = of.hint()
    if hint:
        other, key = hint
        share = percent(float(of.weights[head, other, key]), 0)
        goals.append(
            Goal(
                "draw.row.hint",
                {"other": of.queries[other], "at": other, "to": of.keys[key], "to_at": key, "share": share},
            )
        )
    return goals


def _said(keys: list[str], cause: Cause) -> Mapping[str, object]:
    """Shares as percentages; a key as its word, and its place."""
    said: dict[str, object] = {}
    for name, value in cause.values.items():
        said |= {name: percent(value, 0)} if name in SHARES else {name: keys[int(value)], f"{name}_at": int(value)}
    return said


def _computed(chapter: AnyChapter, place: AttentionRow) -> None:
    st.page_link(
        page("attention"),
        label=chapter.say("draw.row.link"),
        icon=":material/zoom_in:",
        query_params=state.query("attention", kind=place.kind, layer=place.layer, head=place.head),
    )
