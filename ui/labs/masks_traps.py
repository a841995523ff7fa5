"""Masks lab: three ways to get a mask wrong. A picture's caption, a diagonal, a convention."""

from functools import partial

import numpy as np
import streamlit as st
import torch

from transformer_core import subsequent_mask, valid_pairs
from transformer_core.attention import BLOCKED
from transformer_core.softmax import masked_softmax, softmax_steps
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures import arithmetic
from ui.figures.board import Panel, Source
from ui.labs import masks_snippets
from ui.shell import Chapter

EXAMPLE = np.arange(1, 13).reshape(4, 3)  # the notes' example for np.triu
READ = 5  # positions of the mask that is read both ways
VALID = (2, 4)  # the notes' lengths, padded to 5
WIDTH = 5


def triangle_lab(chapter: Chapter) -> None:
    """np.triu's three diagonals on the notes' example."""
    say = chapter.say
    kept = {k: np.triu(EXAMPLE, k=k) for k in (-1, 0, 1)}
    panels = [
        Panel(
            f"k{k}",
            values,
            f"np.triu(x, k={k})",
            ["0", "1", "2", "3"],
            ["0", "1", "2"],
            say("triu.row_axis"),
            say("triu.column_axis"),
            scale="magnitude",
            high=12.0,
            place=(0, at),
            print_values=True,
        )
        for at, (k, values) in enumerate(kept.items())
    ]
    chosen = board(chapter, "triu", panels, cell="triu_cell", alt=say("triu.alt")).chosen
    if chosen:
        k, i, j = int(chosen[0][1:]), *chosen[1:]
        condition = f"[{j} − {i} ≥ {arithmetic.number(k)}]"
        side = f"{condition} · {EXAMPLE[i, j]}"
        st.html(arithmetic.equation(f"triu<sub>{i},{j}</sub>", side, result=float(kept[k][i, j])))
    caption(
        chapter,
        "triu",
        provenance("np.triu(x, k)", *EXAMPLE.shape),
        numbers=np.vstack(list(kept.values())),
        code=[subsequent_mask],
        snippet=masks_snippets.triangles(EXAMPLE.tolist()),
    )


def reading_lab(chapter: Chapter) -> None:
    """The look-ahead mask as its code means it, with the notes' colours, and with their colours and axes."""
    say = chapter.say
    reading = controls.choose(chapter, "read_as")
    values = subsequent_mask(READ)[0]
    allowed = {"code": values, "colors": ~values, "picture": ~values.T}[reading]  # (query, key)
    in_full = reading == "picture"
    steps = masked_softmax(torch.zeros(READ, READ), allowed, BLOCKED)
    names = [str(position) for position in range(READ)]
    square = partial(
        Panel,
        row_labels=names,
        col_labels=names,
        print_values=True,
    )
    panels = [
        square(
            "ones",
            values.int().numpy(),
            say("ones"),
            row_axis=say("reading.looked_at_axis" if in_full else "query_axis"),
            col_axis=say("reading.target_axis" if in_full else "key_axis"),
            scale="magnitude",
        ),
        square(
            "weights",
            steps.weights.numpy(),
            say("equal_weights"),
            row_axis=say("query_axis"),
            col_axis=say("key_axis"),
            scale="probability",
            place=(0, 1),
            sources=[Source("ones", "all", "row") if in_full else Source("ones", "row", "all")],
        ),
    ]
    chosen = board(chapter, "reading", panels, cell="reading_cell", alt=say("reading.alt")).chosen
    if chosen and chosen[0] == "weights":
        exponentials = softmax_steps(steps.masked[chosen[1]]).exponentials
        st.html(arithmetic.share(f"α<sub>{chosen[1]},{chosen[2]}</sub>", exponentials.tolist(), chosen[2]))
    chapter.write(f"reading_outcome.{reading}")
    caption(
        chapter,
        "reading",
        provenance(f"masked_softmax(zeros, subsequent_mask({READ}))", READ, READ),
        numbers=steps.weights.numpy(),
        code=[subsequent_mask, masked_softmax],
        snippet=masks_snippets.reading(READ, reading),
    )


def convention_lab(chapter: Chapter) -> None:
    """The notes' outer product of valid positions, and its inverse: the same mask in the two conventions."""
    say = chapter.say
    valid = valid_pairs(torch.tensor(VALID), WIDTH).bool()  # (2, 5, 5)
    names = [str(position) for position in range(WIDTH)]
    square = partial(
        Panel,
        row_labels=names,
        col_labels=names,
        row_axis=say("query_axis"),
        col_axis=say("key_axis"),
        print_values=True,
    )
    panels = [
        square(
            f"{name}{at}",
            (valid[at] if name == "attend" else ~valid[at]).int().numpy(),
            say(f"convention.{name}", length=length),
            scale="magnitude",
            place=(0, 2 * at + (name == "blocked")),
        )
        for at, length in enumerate(VALID)
        for name in ("attend", "blocked")
    ]
    chosen = board(chapter, "convention", panels, cell="convention_cell", alt=say("convention.alt")).chosen
    if chosen:
        panel, i, j = chosen
        length = VALID[int(panel[-1])]
        product = f"[{i} &lt; {length}] · [{j} &lt; {length}]"
        both = int(i < length and j < length)
        if panel.startswith("attend"):
            st.html(arithmetic.equation(f"v<sub>{i}</sub> v<sub>{j}</sub>", product, result=both))
        else:
            st.html(arithmetic.equation(f"1 − v<sub>{i}</sub> v<sub>{j}</sub>", f"1 − {both}", result=1 - both))
    caption(
        chapter,
        "convention",
        provenance("valid_pairs(lengths)", *valid.shape),
        numbers=valid.flatten(0, 1).int().numpy(),
        code=[valid_pairs],
        snippet=masks_snippets.conventions(VALID, WIDTH),
    )
