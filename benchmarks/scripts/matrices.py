"""The matrix component alone: 64 × 64, and a wall of 6 × 8 heads of 12 × 12."""

import numpy as np
import streamlit as st

from ui.components.matrix import matrix
from ui.figures import Board, Operand, Panel
from ui.figures.formula import I, J, K, Matrix, total
from ui.model.shipped import boot

boot()


@st.fragment
def large() -> None:
    factor = st.slider("large", 1, 64, 8)
    i, j = np.indices((64, 64))
    q, k = np.sin(factor * i / 20), np.cos(j / 9)  # (64, 64) each: the sum of a cell has 64 products
    made = total(K, 64, Matrix("q")[I, K] * Matrix("k")[K, J])
    matrix(Board([Panel("large", q @ k, made=made)], [Operand("q", q), Operand("k", k)]), key="large")


@st.fragment
def wall() -> None:
    factor = st.slider("wall", 1, 64, 8)
    scores = np.random.default_rng(0).normal(size=(6, 8, 12, 12)) * factor / 8
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    panels = [
        Panel(f"{layer}.{head}", weights[layer, head], f"{layer}.{head}", scale="probability", place=(layer, head))
        for layer in range(6)
        for head in range(8)
    ]
    matrix(Board(panels), key="wall")


large()
wall()
