"""A small table, as text: a grid to sort and search in, which ten rows do not need, costs a page ten times as much."""

from collections.abc import Sequence

import streamlit as st


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The first column names the rows, the others are numbers."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))
