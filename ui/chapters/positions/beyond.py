"""Past the length a model was trained on: how often it still copies, length by length and token by token."""

from functools import partial

import numpy as np
import streamlit as st

from transformer_core import EncoderDecoder
from transformer_core.experiments.lengths import length_score
from ui import state
from ui.chapters.shared.model_program import model_snippet
from ui.figures import Board, Figure, Operand, Panel
from ui.figures.formula import I, J, Matrix, Number, by_cell
from ui.model import made
from ui.sections import AnyChapter, Choice, Section, predict, show

BEFORE, AFTER = 1, 4  # lengths below and above the longest of the training that are measured
MOST, LEAST = 1000, 20  # sequences per length
WORK = 2e10  # weights × tokens: the half of a second or so that all lengths together may take
PAST = 3  # tokens past the longest of the training, asked about


def how_many(exact: float) -> Choice:
    """How many sequences PAST the longest of its training a model copies without a mistake: this share."""
    right = "most" if exact > 0.5 else "some" if exact > 0.1 else "few"
    return Choice("beyond", ("most", "some", "few"), right, measured=True)


@Section("beyond", cell="beyond_cell", asks=(how_many(0.0),))  # of a model that copies none
def beyond(chapter: AnyChapter) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    if at_hand.words is not None:
        chapter.write("beyond.words")
        act, model = chapter.then(state.put), (state.FRAME, "model", "trained")
        st.button(say("beyond.copier"), icon=":material/swap_horiz:", on_click=act, args=model)
        return
    if at_hand.step is None:
        chapter.write("beyond.unknown")
        return
    trained = at_hand.config.length
    lengths = tuple(range(max(2, trained - BEFORE), trained + AFTER + 1))
    count = min(MOST, max(LEAST, int(WORK / (at_hand.config.parameters * sum(lengths)))))
    score = partial(_scores, at_hand.config.vocab, lengths, count)
    exact, tokens = made(at_hand, ("lengths", lengths, count), score)
    learned = at_hand.config.learned_positions
    chapter.write("beyond.lead_learned" if learned else "beyond.lead", trained=trained)
    if not predict(chapter, how_many(exact[lengths.index(trained + PAST)]), about=at_hand):
        return
    names, positions = [str(length) for length in lengths], [str(pos) for pos in range(1, lengths[-1])]
    sequences, past = Number(count, "n"), np.isnan(tokens)
    panels = [
        Panel(
            "exact",
            exact[:, None],
            title=say("beyond.exact"),
            row_labels=names,
            row_axis=say("beyond.length_axis"),
            scale="probability",
            print_values=True,
            symbol="p",
            made=Matrix("right_exact")[I, J] / sequences,
        ),
        Panel(
            "tokens",
            tokens,
            title=say("beyond.tokens"),
            row_labels=names,
            col_labels=positions,
            col_axis=say("beyond.position_axis"),
            scale="probability",
            vacant=past,
            print_values=True,
            symbol="p",
            made=by_cell(*(None if empty else Matrix("right_tokens")[I, J] / sequences for empty in past.flat)),
        ),
    ]
    right = {"right_exact": exact[:, None], "right_tokens": np.where(past, 0, tokens)}
    figure = Figure(
        "beyond",
        Board(
            panels,
            [Operand(key, np.rint(share * count), "r") for key, share in right.items()],
            vacant=say("beyond.past"),
        ),
        at_hand.provenance(f"length_score(model, {at_hand.config.vocab}, length, {count})", len(lengths)),
        numbers=np.column_stack([lengths, exact, tokens]),
        columns=[say("beyond.length_axis"), say("beyond.exact"), *positions],
        code=(length_score,),
        program=(
            f"{model_snippet(at_hand)}from transformer_core.experiments.lengths import length_score\n\n"
            f"lengths = {list(lengths)}\nshown = torch.full((len(lengths), lengths[-1] + 1), torch.nan)\n"
            "for row, length in zip(shown, lengths):\n"
            f"    score = length_score(model, {at_hand.config.vocab}, length, {count})\n"
            "    row[: length + 1] = torch.tensor([length, score.exact, *score.tokens])\nprint(shown)\n"
        ),
        alt=say("beyond.alt", trained=trained),
    )
    show(chapter, figure)
    text = "beyond.untrained" if not at_hand.step else "beyond.text_learned" if learned else "beyond.text"
    chapter.write(text, trained=trained, last=trained - 1)


def _scores(vocab: int, lengths: tuple[int, ...], count: int, model: EncoderDecoder) -> tuple[np.ndarray, np.ndarray]:
    """Exact match (n,) and, token by token, the share that is right (n, longest - 1), NaN past a row's length."""
    tokens = np.full((len(lengths), lengths[-1] - 1), np.nan)
    exact = np.empty(len(lengths))
    for at, length in enumerate(lengths):
        score = length_score(model, vocab, length, count)
        exact[at] = score.exact
        tokens[at, : length - 1] = score.tokens.numpy()
    return exact, tokens
